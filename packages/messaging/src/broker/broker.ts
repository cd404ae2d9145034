import type { Logger } from 'pino'
import { type BrokerConnection, openConnection } from './connection.ts'
import { Publisher } from './publisher.ts'
import type { Topology } from './topology.ts'

/** The broker of a process: one connection to publish, and one to consume. */
export interface Broker {
  /** Prefix of the names of exchanges and queues. */
  readonly prefix: string
  readonly publishing: BrokerConnection
  readonly consuming: BrokerConnection
  /** On `publishing`: for events, and for messages that consumers quarantine. */
  readonly publisher: Publisher
  /** Resolves with null, or with the reason why this process cannot publish or consume. */
  check(): Promise<string | null>
  /** Waits for publications in progress. */
  close(): Promise<void>
}

export interface BrokerOptions {
  readonly url: string
  readonly prefix: string
  /** Name of the process, shown in the broker's list of connections. */
  readonly name: string
  /** Declared before the first publication. */
  readonly topology?: Topology
  readonly log: Logger
}

/** Does not wait for the broker. Throws only if the address is invalid. */
export async function openBroker({ url, prefix, name, topology = [], log }: BrokerOptions): Promise<Broker> {
  const publishing = await openConnection({ url, name, log, purpose: 'publish' })
  const consuming = await openConnection({ url, name, log, purpose: 'consume' })
  const publisher = new Publisher({ connection: publishing, topology, log })
  return {
    prefix,
    publishing,
    consuming,
    publisher,
    check: async () => {
      for (const state of [publisher.ready(), consuming.ready()]) if (!state.ready) return state.reason
      return null
    },
    close: async () => {
      await publisher.close()
      await Promise.all([publishing.close(), consuming.close()])
    },
  }
}
