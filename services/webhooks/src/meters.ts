import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface Meters {
  /** `delivered`, or the kind of error. */
  attempted(outcome: string, seconds: number): void
  /** From the event to the 2xx. */
  delivered(seconds: number): void
  queueDepth(queue: string, messages: number): void
  swept(deliveries: number): void
  /** Forgotten, being older than is kept. */
  retained(partitionsDropped: number, rowsDeleted: number): void
  breaker(change: 'opened' | 'reopened' | 'closed'): void
  /** How many deliveries stand in lines, and how many breakers are not closed. */
  lines(state: { waiting: number; breakersOpen: number }): void
  reconciled(repair: 'removed' | 'added', messages: number): void
}

export function createMeters(registry: Registry): Meters {
  return { ...attemptMeters(registry), ...stateMeters(registry), ...upkeepMeters(registry) }
}

function attemptMeters(registry: Registry): Pick<Meters, 'attempted' | 'delivered' | 'breaker'> {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const attemptSeconds = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time an attempt took',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const latency = new Histogram({
    name: 'webhook_delivery_latency_seconds',
    help: 'Time from the event to the answer that it was received',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers: [registry],
  })
  const breakers = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'Breakers that opened, opened again after a probe that failed, and closed after one that succeeded',
    labelNames: ['change'],
    registers: [registry],
  })
  return {
    attempted: (outcome, seconds) => {
      attempts.inc({ outcome })
      attemptSeconds.observe(seconds)
    },
    delivered: (seconds) => latency.observe(seconds),
    breaker: (change) => breakers.inc({ change }),
  }
}

function stateMeters(registry: Registry): Pick<Meters, 'queueDepth' | 'lines'> {
  const depth = new Gauge({
    name: 'webhook_queue_depth',
    help: 'Messages ready in a queue',
    labelNames: ['queue'],
    registers: [registry],
  })
  const waiting = new Gauge({
    name: 'webhook_deliveries_waiting',
    help: 'Deliveries that wait for their destination: held, or behind others (100 000 are counted at the most)',
    registers: [registry],
  })
  const breakersOpen = new Gauge({
    name: 'webhook_breakers_open',
    help: 'Destinations that are not tried, or only probed, because they failed',
    registers: [registry],
  })
  return {
    queueDepth: (queue, messages) => depth.set({ queue }, messages),
    lines: (state) => {
      waiting.set(state.waiting)
      breakersOpen.set(state.breakersOpen)
    },
  }
}

function upkeepMeters(registry: Registry): Pick<Meters, 'swept' | 'retained' | 'reconciled'> {
  const swept = new Counter({
    name: 'webhook_deliveries_swept_total',
    help: 'Deliveries the sweeper took up: long waits, lost messages, attempts that were never finished',
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'webhook_partitions_dropped_total',
    help: 'Partitions of events, deliveries and attempts that were dropped, being older than is kept',
    registers: [registry],
  })
  const deleted = new Counter({
    name: 'webhook_rows_deleted_total',
    help: 'Rows older than is kept that had no partition of their own',
    registers: [registry],
  })
  const reconciled = new Counter({
    name: 'webhook_dead_letters_reconciled_total',
    help: 'Messages added to or removed from webhooks.dead-letters so that it equals the dead rows',
    labelNames: ['repair'],
    registers: [registry],
  })
  return {
    swept: (deliveries) => swept.inc(deliveries),
    retained: (partitionsDropped, rowsDeleted) => {
      dropped.inc(partitionsDropped)
      deleted.inc(rowsDeleted)
    },
    reconciled: (repair, messages) => reconciled.inc({ repair }, messages),
  }
}
