import type { Commits, SqlTx } from '@payments/chassis/database/transaction'
import type { EventProducer } from '@payments/contracts/edges/event-signature'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Broker } from '../broker/broker.ts'
import { domainEvents, markerQueueName } from '../broker/topology.ts'
import { receiveEvents } from './hand-over.ts'
import { Relay } from './relay.ts'

/** The database of a process whose verbs emit events. */
export interface OutboxDatabase {
  /** For the relay, which publishes the events of all tenants. */
  readonly crossTenant: SqlTx
  readonly commits: Commits
}

export interface OutboxOptions {
  readonly db: OutboxDatabase
  readonly broker: Broker
  /** The service, and by consumer the keys that sign its events. */
  readonly producer: EventProducer
  readonly log: Logger
  readonly metrics: Registry
}

/**
 * Publishes the events of the outbox, each as soon as its transaction has committed. `stop` waits for the events that
 * the relay has; the next start publishes the remaining ones.
 */
export function startOutbox({ db, broker, producer, log, metrics }: OutboxOptions): Pick<Relay, 'stop'> {
  const relay = new Relay({
    db: db.crossTenant,
    publisher: broker.publisher,
    connection: broker.publishing,
    exchange: domainEvents(broker.prefix),
    markerQueue: markerQueueName(broker.prefix, producer.name),
    producer,
    log,
    metrics,
  })
  receiveEvents(db.commits, relay.receiver)
  return relay
}
