import { createLog } from '@payments/chassis/observability/log'
import type { BrokerConnection } from '@payments/messaging/broker/connection'
import { domainEvents } from '@payments/messaging/broker/topology'
import type { PrivateServers } from '@payments/testing/platform/servers'
import { openBroker } from '../../services/webhooks/src/broker/broker.ts'
import { queueNames } from '../../services/webhooks/src/broker/queues.ts'
import { bucketDelaysMs, parseSchedule } from '../../services/webhooks/src/domain/schedule.ts'
import { type Fault, type Injection, underLoad } from './fault.ts'
import type { Scenario } from './scenario.ts'
import { until } from './until.ts'
import { retrySchedule } from './world.ts'

/** Outages of broker and database, and operations on queues. */
const serverFault = (name: string, act: (servers: PrivateServers) => Promise<void>): Fault => ({
  name,
  killsServers: true,
  run: (scenario) =>
    underLoad(scenario, 1, async () => {
      if (scenario.world.killable === undefined) throw new Error('these servers must not be killed')
      await act(scenario.world.killable)
    }),
})

const restarted = (name: string, server: 'postgres' | 'rabbitmq', signal: NodeJS.Signals) =>
  serverFault(name, async ({ [server]: one }) => {
    await one.end(signal)
    await one.start()
  })

const wiped = async ({ rabbitmq }: PrivateServers) => {
  await rabbitmq.end('SIGKILL')
  rabbitmq.wipe()
  await rabbitmq.start()
}

const cut = (scenario: Scenario) =>
  underLoad(scenario, 3, async () => {
    await scenario.world.way.cut()
    await scenario.world.way.restore()
  })

type Channel = Awaited<ReturnType<BrokerConnection['openChannel']>>

/** Changes queues directly on the broker, as an operator can. */
async function onChannel<R>({ world }: Scenario, work: (channel: Channel) => Promise<R>): Promise<R> {
  const { amqpUrl: url } = world.servers
  const log = createLog('faults', 'silent')
  const broker = await openBroker({ url, prefix: world.platform.messagingPrefix, name: 'faults', topology: [], log })
  try {
    await until('broker', () => broker.consuming.ready().ready)
    const channel = await broker.consuming.openChannel()
    const done = await work(channel)
    await channel.close()
    return done
  } finally {
    await broker.close()
  }
}

/** Deletes or purges the retry queues once they hold messages. */
async function retryQueues(scenario: Scenario, operation: 'deleteQueue' | 'purgeQueue'): Promise<Injection> {
  const names = queueNames(scenario.world.platform.messagingPrefix)
  const queues = bucketDelaysMs(parseSchedule(retrySchedule) ?? []).map((delayMs) => names.retry(delayMs))
  let lost = 0
  scenario.startLoad()
  await scenario.accepted(12)
  await onChannel(scenario, async (channel) => {
    await until('message in a retry queue', async () => {
      const states = await Promise.all(queues.map((queue) => channel.checkQueue(queue)))
      return states.some(({ messageCount }) => messageCount > 0)
    })
    for (const queue of queues) lost += (await channel[operation](queue)).messageCount
  })
  await scenario.accepted(12)
  await scenario.stopLoad()
  return { times: 1, note: `${lost} messages lost with them` }
}

async function unbound(scenario: Scenario): Promise<Injection> {
  const prefix = scenario.world.platform.messagingPrefix
  const { events } = queueNames(prefix)
  return underLoad(scenario, 1, () =>
    onChannel(scenario, async (channel) => {
      await channel.unbindQueue(events, domainEvents(prefix), '#')
    }),
  )
}

/** The confirmed messages that no consumer received are lost with the disk. */
async function wipedWithEvents(scenario: Scenario): Promise<Injection> {
  const { platform, killable } = scenario.world
  if (killable === undefined) throw new Error('these servers must not be killed')
  const { events } = queueNames(platform.messagingPrefix)
  await platform.kill('webhooks-dispatcher', 'SIGKILL')
  scenario.startLoad()
  await scenario.accepted(20)
  await scenario.stopLoad()
  let waiting = 0
  await onChannel(scenario, (channel) =>
    until('events in the queue', async () => {
      waiting = (await channel.checkQueue(events)).messageCount
      return waiting >= 20
    }),
  )
  await wiped(killable)
  await platform.restart('webhooks-dispatcher')
  return { times: 1, note: `${waiting} events confirmed and not fetched` }
}

/** Faults with a long recovery come first, so that a run of several waits least. */
export const serverFaults: readonly Fault[] = [
  { name: 'retry queues deleted', run: (scenario) => retryQueues(scenario, 'deleteQueue') },
  { name: 'retry queues purged', run: (scenario) => retryQueues(scenario, 'purgeQueue') },
  { name: 'queue of events unbound', run: unbound },
  restarted('PostgreSQL restarted', 'postgres', 'SIGINT'),
  restarted('PostgreSQL killed -9 and started', 'postgres', 'SIGKILL'),
  restarted('broker killed -9 and started', 'rabbitmq', 'SIGKILL'),
  restarted('broker stopped and started', 'rabbitmq', 'SIGTERM'),
  { name: 'every connection to the broker cut', short: true, run: cut },
  serverFault("broker's disk wiped under load", wiped),
  { name: "broker's disk wiped with events on it", killsServers: true, run: wipedWithEvents },
]
