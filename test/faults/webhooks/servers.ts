import { createLog } from '@payments/chassis/observability/log'
import type { BrokerConnection } from '@payments/messaging/broker/connection'
import { domainEvents } from '@payments/messaging/broker/topology'
import { openBroker } from '../../../services/webhooks/src/broker/broker.ts'
import { queueNames } from '../../../services/webhooks/src/broker/queues.ts'
import { bucketDelaysMs, parseSchedule } from '../../../services/webhooks/src/domain/delivery/schedule.ts'
import { until } from '../../until.ts'
import { endServer, repeatUnderLoad, requireKillable } from '../runner/kills.ts'
import type { WebhookFault, WebhookRound } from './round.ts'
import { retrySchedule, type World } from './world.ts'

/** Outages of broker and database, and operations on queues. */
const wipe = async (world: World) => {
  const { rabbitmq } = requireKillable(world)
  await rabbitmq.end('SIGKILL')
  rabbitmq.wipe()
  await rabbitmq.start()
}

const cut = ({ world: { way }, load }: WebhookRound) =>
  repeatUnderLoad(load, 3, async () => {
    await way.cut()
    await way.restore()
  })

type Channel = Awaited<ReturnType<BrokerConnection['openChannel']>>

/** Changes queues directly on the broker, as an operator can. */
async function onChannel<R>(world: World, work: (channel: Channel) => Promise<R>): Promise<R> {
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

/** Deletes or purges the retry queues that hold messages, once one does. */
async function retryQueues(
  { world, load, notes }: WebhookRound,
  operation: 'deleteQueue' | 'purgeQueue',
): Promise<number> {
  const names = queueNames(world.platform.messagingPrefix)
  const queues = bucketDelaysMs(parseSchedule(retrySchedule) ?? []).map((delayMs) => names.retry(delayMs))
  const findFilled = async () => {
    const depths = await Promise.all(queues.map((queue) => readDepth(world, queue)))
    return queues.filter((_, at) => Number(depths[at]) > 0)
  }
  let lost = 0
  const times = await repeatUnderLoad(load, 1, async () => {
    let filled: readonly string[] = []
    await until('message in a retry queue', async () => {
      filled = await findFilled()
      return filled.length > 0
    })
    for (const queue of filled) {
      lost += await onChannel(world, async (channel) => (await channel[operation](queue)).messageCount)
    }
  })
  notes.push(`${lost} messages lost with them`)
  return times
}

/** Messages in a queue. 0: there is no such queue, for which the broker closes the channel with 404. */
const readDepth = (world: World, queue: string): Promise<number> =>
  onChannel(world, async (channel) => (await channel.checkQueue(queue)).messageCount).catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code === 404) return 0
    throw error
  })

function unbound({ world, load }: WebhookRound): Promise<number> {
  const prefix = world.platform.messagingPrefix
  const { events } = queueNames(prefix)
  return repeatUnderLoad(load, 1, () =>
    onChannel(world, (channel) => channel.unbindQueue(events, domainEvents(prefix), '#')),
  )
}

/** The confirmed messages that no consumer received are lost with the disk. */
async function wipedWithEvents({ world, load, notes }: WebhookRound): Promise<number> {
  const { platform } = world
  const { events } = queueNames(platform.messagingPrefix)
  const waitingMin = 20
  await platform.kill('webhooks-dispatcher', 'SIGKILL')
  load.start()
  await load.ended(waitingMin)
  await load.stop()
  let waiting = 0
  await onChannel(world, (channel) =>
    until('events in the queue', async () => {
      waiting = (await channel.checkQueue(events)).messageCount
      return waiting >= waitingMin
    }),
  )
  await wipe(world)
  await platform.restart('webhooks-dispatcher')
  notes.push(`${waiting} events confirmed and not fetched`)
  return 1
}

export const serverFaults: readonly WebhookFault[] = [
  { name: 'retry queues deleted', run: (round) => retryQueues(round, 'deleteQueue') },
  { name: 'retry queues purged', run: (round) => retryQueues(round, 'purgeQueue') },
  { name: 'queue of events unbound', run: unbound },
  { name: 'PostgreSQL restarted', killsServers: true, run: endServer('postgres', 'SIGINT') },
  { name: 'PostgreSQL killed -9 and started', killsServers: true, run: endServer('postgres', 'SIGKILL') },
  { name: 'broker killed -9 and started', killsServers: true, run: endServer('rabbitmq', 'SIGKILL') },
  { name: 'broker stopped and started', killsServers: true, run: endServer('rabbitmq', 'SIGTERM') },
  { name: 'every connection to the broker cut', short: true, run: cut },
  {
    name: "broker's disk wiped under load",
    killsServers: true,
    run: ({ world, load }) => repeatUnderLoad(load, 1, () => wipe(world)),
  },
  { name: "broker's disk wiped with events on it", killsServers: true, withoutLoad: true, run: wipedWithEvents },
]
