import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import { openConnection } from '@payments/messaging/connection'
import { Publisher } from '@payments/messaging/publisher'
import { startRelay } from '@payments/messaging/relay'
import { domainEvents, topicExchange } from '@payments/messaging/topology'
import type { Database } from './store/database.ts'

export interface OpenOutbox {
  readonly check: ReadinessCheck
  /** Lets what is under way finish. What is left in the outbox, the next start publishes. */
  close(): Promise<void>
}

/** Carries what verbs emit from the database to the broker. */
export async function openOutbox(
  db: Database,
  broker: { url: string; prefix: string },
  { log, metrics }: { log: Log; metrics: Metrics },
): Promise<OpenOutbox> {
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name: 'rbac', log })
  const exchange = domainEvents(broker.prefix)
  const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log })
  const relay = startRelay({ db: db.sql, publisher, exchange, log, metrics: metrics.registry })
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
