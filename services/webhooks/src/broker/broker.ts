import { within } from '@payments/chassis/base/deadline'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import { callTimeoutMs, withChannel } from '@payments/messaging/broker/channel'
import { type BrokerConnection, openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'
import type { Topology } from '@payments/messaging/broker/topology'
import { Quarantine } from '@payments/messaging/quarantine/quarantine'
import type { Schedule } from '../domain/schedule.ts'
import { DeadLetterQueues } from './dead-letter-queues.ts'
import { createQueues, type Queues, quarantineName, queueNames } from './queues.ts'

/** The broker connections of a process: one to publish, one to consume. */
export interface Broker {
  readonly consuming: BrokerConnection
  readonly publishing: BrokerConnection
  /** On `publishing`. */
  readonly publisher: Publisher
  readonly queues: Queues
  readonly deadLetters: DeadLetterQueues
  readonly quarantine: Quarantine
  /** Resolves with null, or with the reason why this process cannot publish or consume. */
  readonly check: ReadinessCheck
  /** The depth of webhooks.deliveries: due deliveries that wait for a worker. */
  deliveriesDepth(): Promise<number>
  /** The depth of webhooks.events: events that wait for the fan-out. */
  eventsDepth(): Promise<number>
  /** Waits for publications in progress. */
  close(): Promise<void>
}

export interface BrokerOptions {
  readonly url: string
  readonly prefix: string
  /** Name of the process. */
  readonly name: string
  /** Declared before the first publication. */
  readonly topology: Topology
  /** Retry schedule of the topology. */
  readonly schedule?: Schedule
  readonly log: Log
}

/** The consumed queues, whose messages may be quarantined. */
const origins = ['webhooks.events', 'webhooks.deliveries', 'webhooks.business-units'] as const

export async function openBroker({ url, prefix, name, topology, schedule = [], log }: BrokerOptions): Promise<Broker> {
  const publishing = await openConnection({ url, name, log, purpose: 'publish' })
  const consuming = await openConnection({ url, name, log, purpose: 'consume' })
  const publisher = new Publisher({ connection: publishing, topology, log })
  const deadLetters = new DeadLetterQueues({ connection: consuming, publisher, prefix })
  return {
    consuming,
    publishing,
    publisher,
    deadLetters,
    quarantine: new Quarantine({ connection: consuming, publisher, prefix, name: quarantineName, origins }),
    queues: createQueues(publisher, deadLetters, { prefix, schedule }),
    check: async () => {
      for (const state of [publisher.ready(), consuming.ready()]) if (!state.ready) return state.reason
      return null
    },
    deliveriesDepth: () => depthOf(consuming, queueNames(prefix).deliveries),
    eventsDepth: () => depthOf(consuming, queueNames(prefix).events),
    close: async () => {
      await publisher.close()
      await Promise.all([publishing.close(), consuming.close()])
    },
  }
}

function depthOf(connection: BrokerConnection, queue: string): Promise<number> {
  return withChannel(connection, async (channel) => {
    const { messageCount } = await within(callTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
    return messageCount
  })
}
