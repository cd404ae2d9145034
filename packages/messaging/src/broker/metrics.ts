import { within } from '@payments/chassis/base/deadline'
import { sharedRead } from '@payments/chassis/process/metrics'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { publishFailures } from './publication.ts'

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
  handled(outcome: ConsumeOutcome, seconds: number): void
  /** A message starts (1) or stops (-1) to wait for the end of an outage. */
  waiting(change: 1 | -1): void
}

/** acked: done. quarantined: a final failure. requeued: a bug, retried up to the delivery limit of the queue. */
export type ConsumeOutcome = (typeof consumeOutcomes)[number]

const consumeOutcomes = ['acked', 'quarantined', 'requeued'] as const

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
  // An unavailable database must not fail the other metrics.
  const read = sharedRead(() => lag().catch(() => ({ pending: Number.NaN, oldestAgeMs: Number.NaN })))
  new Gauge({
    name: 'outbox_oldest_event_age_seconds',
    help: 'Age of the oldest unpublished event',
    registers: [registry],
    async collect() {
      this.set((await read()).oldestAgeMs / 1000)
    },
  })
  new Gauge({
    name: 'outbox_pending_events',
    help: 'Unpublished events, counted to at most 10 000',
    registers: [registry],
    async collect() {
      this.set((await read()).pending)
    },
  })
  return {
    published: (count) => published.inc(count),
    failed: (failure) => failures.inc({ failure }),
    restored: (count) => restored.inc(count),
  }
}

/** The metrics of one consumer. Every series starts with 0, because `increase()` misses the first value of a series. */
export function consumeMetrics(registry: Registry, queue: string): ConsumeMetrics {
  const durations = registerDurations(registry)
  for (const outcome of consumeOutcomes) durations.zero({ queue, outcome })
  const waiting = registerWaiting(registry)
  waiting.inc({ queue }, 0)
  return {
    handled: (outcome, seconds) => durations.observe({ queue, outcome }, seconds),
    waiting: (change) => waiting.inc({ queue }, change),
  }
}

function registerDurations(registry: Registry): Histogram<'queue' | 'outcome'> {
  const name = 'consumed_messages_seconds'
  const known = registry.getSingleMetric(name)
  if (known instanceof Histogram) return known
  return new Histogram({
    name,
    help: 'Time from delivery to settlement of a message, by queue and outcome',
    labelNames: ['queue', 'outcome'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
}

function registerWaiting(registry: Registry): Gauge<'queue'> {
  const name = 'consumer_waiting_messages'
  const known = registry.getSingleMetric(name)
  if (known instanceof Gauge) return known
  return new Gauge({
    name,
    help: 'Messages that are retried in place because a dependency of their handler is unavailable, by queue',
    labelNames: ['queue'],
    registers: [registry],
  })
}

/** A Quarantine. */
interface QuarantineDepth {
  readonly name: string
  depth(): Promise<number>
}

const depthTimeoutMs = 2_000

/** The depth of a quarantine queue, read at each scrape; NaN while the broker does not respond. */
export function quarantineMetrics(registry: Registry, quarantine: QuarantineDepth): void {
  const { name } = quarantine
  const read = sharedRead(() =>
    within(depthTimeoutMs, `the depth of ${name}`, quarantine.depth()).catch(() => Number.NaN),
  )
  new Gauge({
    name: 'quarantine_queue_depth',
    help: 'Messages in the quarantine queue of the service',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      this.set({ queue: name }, await read())
    },
  })
}
