import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

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

export interface ConsumeMetrics {
  handled(queue: string, outcome: ConsumeOutcome, seconds: number): void
}

/** acked: done. quarantined: a final failure. requeued: a bug, retried up to the delivery limit of the queue. */
export type ConsumeOutcome = 'acked' | 'quarantined' | 'requeued'

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
  const restored = new Counter({
    name: 'outbox_restored_total',
    help: 'Events that the broker confirmed and lost; each is published again',
    registers: [registry],
  })
  const age = new Gauge({
    name: 'outbox_oldest_event_age_seconds',
    help: 'Age of the oldest unpublished event',
    registers: [registry],
  })
  new Gauge({
    name: 'outbox_pending_events',
    help: 'Unpublished events, counted to at most 10 000',
    registers: [registry],
    async collect() {
      // An unavailable database must not fail the other metrics.
      const { pending, oldestAgeMs } = await lag().catch(() => ({ pending: Number.NaN, oldestAgeMs: Number.NaN }))
      this.set(pending)
      age.set(oldestAgeMs / 1000)
    },
  })
  return {
    published: (count) => published.inc(count),
    failed: (failure) => failures.inc({ failure }),
    restored: (count) => restored.inc(count),
  }
}

export function consumeMetrics(registry: Registry): ConsumeMetrics {
  const name = 'consumed_messages_seconds'
  const known = registry.getSingleMetric(name)
  const durations =
    known instanceof Histogram
      ? known
      : new Histogram({
          name,
          help: 'Time from delivery to settlement of a message, by queue and outcome',
          labelNames: ['queue', 'outcome'],
          buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
          registers: [registry],
        })
  return { handled: (queue, outcome, seconds) => durations.observe({ queue, outcome }, seconds) }
}
