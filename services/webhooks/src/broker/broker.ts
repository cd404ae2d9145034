import { type BrokerOptions, openBroker as open, type Broker as ProcessBroker } from '@payments/messaging/broker/broker'
import { withChannel } from '@payments/messaging/broker/channel'
import { readCounts } from '@payments/messaging/broker/queue-counts'
import { named } from '@payments/messaging/broker/topology'
import { Quarantine } from '@payments/messaging/quarantine/quarantine'
import type { Schedule } from '../domain/delivery/schedule.ts'
import { DeadLetterQueues } from './dead-letter-queues.ts'
import { createQueues, type Queues, quarantineName } from './queues.ts'

/** The broker of a process, with the queues of webhooks. */
export interface Broker extends ProcessBroker {
  readonly queues: Queues
  readonly deadLetters: DeadLetterQueues
  readonly quarantine: Quarantine
  /** The messages that wait for the fan-out, or for a worker. Undefined: not known. */
  depth(queue: 'webhooks.events' | 'webhooks.deliveries'): Promise<number | undefined>
}

/** The consumed queues, whose messages may be quarantined. */
const origins = ['webhooks.events', 'webhooks.deliveries', 'webhooks.business-units'] as const

/** `schedule`: the retry schedule of the topology. */
export async function openBroker({ schedule, ...options }: BrokerOptions & { schedule?: Schedule }): Promise<Broker> {
  return withQueues(await open(options), schedule)
}

/** The queues of webhooks on an open broker. */
export function withQueues(broker: ProcessBroker, schedule: Schedule = []): Broker {
  const { prefix, consuming, publisher } = broker
  return {
    ...broker,
    deadLetters: new DeadLetterQueues({ connection: consuming, publisher, prefix }),
    quarantine: new Quarantine({ broker, name: quarantineName, origins }),
    queues: createQueues(publisher, { prefix, schedule }),
    depth: (queue) =>
      withChannel(consuming, async (channel) => (await readCounts(channel, named(prefix, queue)))?.messageCount),
  }
}
