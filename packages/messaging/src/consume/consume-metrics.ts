import { Gauge, Histogram, type Metric, type Registry } from 'prom-client'

export type ConsumeMetrics = ReturnType<typeof consumeMetrics>

/** acked: done. quarantined: a final failure. requeued: a bug, retried up to the delivery limit of the queue. */
export type ConsumeOutcome = (typeof consumeOutcomes)[number]

const consumeOutcomes = ['acked', 'quarantined', 'requeued'] as const

/** The metrics of one consumer. Every series starts with 0, because `increase()` misses the first value of a series. */
export function consumeMetrics(registry: Registry, queue: string) {
  const durations = sharedMetric(
    registry,
    'consumed_messages_seconds',
    (name) =>
      new Histogram({
        name,
        help: 'Time from delivery to settlement of a message, by queue and outcome',
        labelNames: ['queue', 'outcome'],
        buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
        registers: [registry],
      }),
  )
  for (const outcome of consumeOutcomes) durations.zero({ queue, outcome })
  const help = 'Messages that are retried in place because a dependency of their handler is unavailable, by queue'
  const waiting = sharedMetric(
    registry,
    'consumer_waiting_messages',
    (name) => new Gauge({ name, help, labelNames: ['queue'], registers: [registry] }),
  )
  waiting.inc({ queue }, 0)
  return {
    handled: (outcome: ConsumeOutcome, seconds: number) => durations.observe({ queue, outcome }, seconds),
    /** A message starts (1) or stops (-1) to wait for the end of an outage. */
    waiting: (change: 1 | -1) => waiting.inc({ queue }, change),
  }
}

/** The metric of the registry with the name, which the consumers of a process share. */
export function sharedMetric<M extends Metric>(registry: Registry, name: string, create: (name: string) => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? create(name)
}
