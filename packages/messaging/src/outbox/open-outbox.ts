import type { SqlTx } from '@payments/chassis/database/transaction'
import type { EventProducer } from '@payments/contracts/edges/event-signature'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { openConnection } from '../broker/connection.ts'
import { Publisher } from '../broker/publisher.ts'
import { domainEvents, markerQueueName } from '../broker/topology.ts'
import { startRelay } from './relay.ts'

/** The database of a process whose verbs emit events. */
export interface OutboxDatabase {
  /** For the relay, which publishes the events of all tenants. */
  readonly crossTenant: SqlTx
  /** Sets the listener that is called after each commit. */
  afterCommit(listener: () => void): void
}

export interface OpenOutboxOptions {
  readonly db: OutboxDatabase
  readonly broker: { readonly url: string; readonly prefix: string }
  /** The service; names its connection and its marker queue. */
  readonly name: string
  /** By consumer: the keys that sign the events. */
  readonly signKeys: EventProducer['keys']
  readonly log: Logger
  readonly metrics: Registry
}

export interface OpenOutbox {
  /** On the connection of the outbox, for consumers of the process that quarantine messages. */
  readonly publisher: Publisher
  /** Resolves with null, or with the reason why events are not published. */
  check(): Promise<string | null>
  /** Waits for the current batch. The next start publishes the remaining events. */
  close(): Promise<void>
}

/** Publishes the events of the outbox, over a connection of its own. */
export async function openOutbox(options: OpenOutboxOptions): Promise<OpenOutbox> {
  const { db, broker, name, signKeys, log, metrics } = options
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name, log })
  const exchange = domainEvents(broker.prefix)
  const publisher = new Publisher({ connection, topology: [], log })
  const markerQueue = markerQueueName(broker.prefix, name)
  const producer = { name, keys: signKeys }
  const relay = startRelay({ db: db.crossTenant, publisher, connection, exchange, producer, markerQueue, log, metrics })
  db.afterCommit(() => relay.wake())
  return {
    publisher,
    check: async () => {
      const readiness = publisher.ready()
      return readiness.ready ? null : readiness.reason
    },
    close: async () => {
      await relay.stop()
      await publisher.close()
      await connection.close()
    },
  }
}
