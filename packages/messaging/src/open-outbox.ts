import type { SqlTx } from '@payments/chassis/transaction'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { openConnection } from './connection.ts'
import { Publisher } from './publisher.ts'
import { startRelay } from './relay.ts'
import { domainEvents, markerQueueName, topicExchange } from './topology.ts'

/** The database of a process whose verbs emit events. */
export interface OutboxDatabase {
  /** For the relay: the outbox has no tenant. */
  readonly sql: SqlTx
  /** Sets the listener that is called after each commit. */
  afterCommit(listener: () => void): void
}

export interface OpenOutboxOptions {
  readonly db: OutboxDatabase
  readonly broker: { readonly url: string; readonly prefix: string }
  /** The service; names its connection and its marker queue. */
  readonly name: string
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
export async function openOutbox({ db, broker, name, log, metrics }: OpenOutboxOptions): Promise<OpenOutbox> {
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name, log })
  const exchange = domainEvents(broker.prefix)
  const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log })
  const markerQueue = markerQueueName(broker.prefix, name)
  const relay = startRelay({ db: db.sql, publisher, connection, exchange, markerQueue, log, metrics })
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
