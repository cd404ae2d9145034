import type { SqlTx } from '@payments/chassis/transaction'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { openConnection } from './connection.ts'
import { Publisher } from './publisher.ts'
import { startRelay } from './relay.ts'
import { domainEvents, markerName, topicExchange } from './topology.ts'

/** Where verbs emit. */
export interface OutboxDatabase {
  /** For the relay: the outbox is no tenant's. */
  readonly sql: SqlTx
  /** Called after each commit: the relay's kick. */
  afterCommit(listener: () => void): void
}

export interface OpenOutboxOptions {
  readonly db: OutboxDatabase
  readonly broker: { readonly url: string; readonly prefix: string }
  /** Of the service: on its connection, and of its witness. */
  readonly name: string
  readonly log: Logger
  readonly metrics: Registry
}

export interface OpenOutbox {
  /** null, or why events do not get out. */
  check(): Promise<string | null>
  /** Lets what is under way finish. What is left in the outbox, the next start publishes. */
  close(): Promise<void>
}

/** Carries what a process's verbs emit from its database to the broker, over a connection of its own. */
export async function openOutbox({ db, broker, name, log, metrics }: OpenOutboxOptions): Promise<OpenOutbox> {
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name, log })
  const exchange = domainEvents(broker.prefix)
  const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log })
  const witness = markerName(broker.prefix, name)
  const relay = startRelay({ db: db.sql, publisher, connection, exchange, witness, log, metrics })
  db.afterCommit(() => relay.kick())
  return {
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
