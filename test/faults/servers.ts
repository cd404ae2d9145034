import { createLog } from '@payments/chassis/log'
import type { BrokerConnection } from '@payments/messaging/connection'
import { domainEvents } from '@payments/messaging/topology'
import type { PrivateServers } from '@payments/testing/servers'
import { openBroker } from '../../services/webhooks/src/broker/broker.ts'
import { queueNames } from '../../services/webhooks/src/broker/queues.ts'
import { bucketDelaysMs, parseSchedule } from '../../services/webhooks/src/domain/schedule.ts'
import { type Fault, type Injection, underLoad } from './fault.ts'
import type { Scene } from './scene.ts'
import { until } from './until.ts'
import { retrySchedule } from './world.ts'

/** Broker and database that go away and come back, and what may happen to queues. */
const serverFault = (name: string, act: (servers: PrivateServers) => Promise<void>): Fault => ({
  name,
  killsServers: true,
  run: (scene) =>
    underLoad(scene, 1, async () => {
      if (scene.world.killable === undefined) throw new Error('these servers must not be killed')
      await act(scene.world.killable)
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

const cut = (scene: Scene) =>
  underLoad(scene, 3, async () => {
    await scene.world.way.cut()
    await scene.world.way.mend()
  })

type Channel = Awaited<ReturnType<BrokerConnection['openChannel']>>

/** Does something to queues as an operator can, past everything of ours. */
async function onChannel<R>({ world }: Scene, work: (channel: Channel) => Promise<R>): Promise<R> {
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

/** Once there are messages in them. */
async function retryQueues(scene: Scene, operation: 'deleteQueue' | 'purgeQueue'): Promise<Injection> {
  const names = queueNames(scene.world.platform.messagingPrefix)
  const lanes = bucketDelaysMs(parseSchedule(retrySchedule) ?? []).map((delayMs) => names.retry(delayMs))
  let lost = 0
  scene.startLoad()
  await scene.accepted(12)
  await onChannel(scene, async (channel) => {
    await until('message in a retry queue', async () => {
      const states = await Promise.all(lanes.map((lane) => channel.checkQueue(lane)))
      return states.some(({ messageCount }) => messageCount > 0)
    })
    for (const lane of lanes) lost += (await channel[operation](lane)).messageCount
  })
  await scene.accepted(12)
  await scene.stopLoad()
  return { times: 1, note: `${lost} messages lost with them` }
}

async function unbound(scene: Scene): Promise<Injection> {
  const prefix = scene.world.platform.messagingPrefix
  const { events } = queueNames(prefix)
  return underLoad(scene, 1, () =>
    onChannel(scene, async (channel) => {
      await channel.unbindQueue(events, domainEvents(prefix), '#')
    }),
  )
}

/** What the broker has confirmed, and nobody has fetched yet, goes with its disk. */
async function wipedWithEvents(scene: Scene): Promise<Injection> {
  const { platform, killable } = scene.world
  if (killable === undefined) throw new Error('these servers must not be killed')
  const { events } = queueNames(platform.messagingPrefix)
  await platform.kill('webhooks-dispatcher', 'SIGKILL')
  scene.startLoad()
  await scene.accepted(20)
  await scene.stopLoad()
  let waiting = 0
  await onChannel(scene, (channel) =>
    until('events in the queue', async () => {
      waiting = (await channel.checkQueue(events)).messageCount
      return waiting >= 20
    }),
  )
  await wiped(killable)
  await platform.restart('webhooks-dispatcher')
  return { times: 1, note: `${waiting} events confirmed and not fetched` }
}

/** What takes long to heal comes first, so that a run of several in one scene waits for it least. */
export const serverFaults: readonly Fault[] = [
  { name: 'retry queues deleted', run: (scene) => retryQueues(scene, 'deleteQueue') },
  { name: 'retry queues purged', run: (scene) => retryQueues(scene, 'purgeQueue') },
  { name: 'queue of events unbound', run: unbound },
  restarted('PostgreSQL restarted', 'postgres', 'SIGINT'),
  restarted('PostgreSQL killed -9 and started', 'postgres', 'SIGKILL'),
  restarted('broker killed -9 and started', 'rabbitmq', 'SIGKILL'),
  restarted('broker stopped and started', 'rabbitmq', 'SIGTERM'),
  { name: 'every connection to the broker cut', short: true, run: cut },
  serverFault("broker's disk wiped under load", wiped),
  { name: "broker's disk wiped with events on it", killsServers: true, run: wipedWithEvents },
]
