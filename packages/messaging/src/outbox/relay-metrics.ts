import type { SqlTx } from '@payments/chassis/database/transaction'
import { registerGauge, sharedRead } from '@payments/chassis/process/metrics'
import { Counter, type Registry } from 'prom-client'
import { publishFailures } from '../broker/publication.ts'

/** The unpublished events of the outbox, at most 10 000 of them, and the age of the oldest. */
export interface Lag {
  readonly pending: number
  readonly oldestAgeMs: number
}

const lagSql = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 10000) AS counted) AS pending,
    coalesce((SELECT extract(epoch FROM clock_timestamp() - occurred_at) * 1000 FROM outbox_events
      WHERE published_at IS NULL ORDER BY sequence LIMIT 1), 0)::int AS "oldestAgeMs"`

export async function readLag(db: SqlTx): Promise<Lag> {
  const [lag] = await db.$queryRawUnsafe<[Lag]>(lagSql)
  return lag
}

export type RelayMetrics = ReturnType<typeof relayMetrics>

export function relayMetrics(registry: Registry, lag: () => Promise<Lag>) {
  const published = new Counter({
    name: 'outbox_published_total',
    help: 'Events that the broker confirmed',
    registers: [registry],
  })
  const failures = new Counter({
    name: 'outbox_publish_failures_total',
    help: 'Events that the broker did not confirm, by failure; each is retried',
    labelNames: ['failure'],
    registers: [registry],
  })
  for (const failure of publishFailures) failures.inc({ failure }, 0)
  const restored = new Counter({
    name: 'outbox_restored_total',
    help: 'Events that the broker confirmed and lost; each is published again',
    registers: [registry],
  })
  const read = sharedRead(lag)
  registerGauge(registry, {
    name: 'outbox_oldest_event_age_seconds',
    help: 'Age of the oldest unpublished event',
    read: async () => (await read()).oldestAgeMs / 1000,
  })
  registerGauge(registry, {
    name: 'outbox_pending_events',
    help: 'Unpublished events, counted to at most 10 000',
    read: async () => (await read()).pending,
  })
  return {
    published: () => published.inc(),
    failed: (failure: string) => failures.inc({ failure }),
    restored: (count: number) => restored.inc(count),
  }
}
