import type { Log } from '@payments/chassis/log'
import { type BrokerConnection, openConnection } from '@payments/messaging/connection'
import { Publisher } from '@payments/messaging/publisher'
import type { Topology } from '@payments/messaging/topology'
import type { Schedule } from '../domain/schedule.ts'
import { DeadLetterQueues } from './dead-letter-queues.ts'
import { createQueues, type Queues } from './queues.ts'

/** The broker connections of a process: one to publish, one to consume. */
export interface Broker {
  readonly consuming: BrokerConnection
  readonly publishing: BrokerConnection
  /** On `publishing`. */
  readonly publisher: Publisher
  readonly queues: Queues
  readonly deadLetters: DeadLetterQueues
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
    queues: createQueues(publisher, deadLetters, { prefix, schedule }),
    close: async () => {
      await publisher.close()
      await Promise.all([publishing.close(), consuming.close()])
    },
  }
}
