import { registerGauge, sharedRead } from '@payments/chassis/process/metrics'
import { Counter, type Registry } from 'prom-client'
import { publishFailures } from '../broker/publication.ts'

/** `pending` is at most 10 000. */
export interface Lag {
  readonly pending: number
  readonly oldestAgeMs: number
}

export interface RelayMetrics {
  published(count: number): void
  failed(failure: string): void
  restored(count: number): void
}

export function relayMetrics(registry: Registry, lag: () => Promise<Lag>): RelayMetrics {
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
  const readLag = sharedRead(lag)
  registerGauge(registry, {
    name: 'outbox_oldest_event_age_seconds',
    help: 'Age of the oldest unpublished event',
    read: async () => (await readLag()).oldestAgeMs / 1000,
  })
  registerGauge(registry, {
    name: 'outbox_pending_events',
    help: 'Unpublished events, counted to at most 10 000',
    read: async () => (await readLag()).pending,
  })
  return {
    published: (count) => published.inc(count),
    failed: (failure) => failures.inc({ failure }),
    restored: (count) => restored.inc(count),
  }
}
