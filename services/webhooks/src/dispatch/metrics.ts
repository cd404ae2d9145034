import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { BacklogState } from '../store/backlog.ts'

export interface DispatchMetrics {
  /** `delivered`, or the error kind. */
  attempted(outcome: string, seconds: number): void
  /** From the event to the 2xx. */
  delivered(seconds: number): void
  queueDepth(queue: string, messages: number): void
  swept(deliveries: number): void
  /** Deleted at the end of the retention period. */
  retained(partitionsDropped: number, rowsDeleted: number): void
  breaker(change: 'opened' | 'reopened' | 'closed'): void
  backlog(state: BacklogState): void
  unfinishedFanOuts(total: number): void
  reconciled(repair: 'removed' | 'added', messages: number): void
  liveDispatchers(total: number): void
}

export function createDispatchMetrics(registry: Registry): DispatchMetrics {
  return { ...attemptMetrics(registry), ...stateMetrics(registry), ...maintenanceMetrics(registry) }
}

function attemptMetrics(registry: Registry): Pick<DispatchMetrics, 'attempted' | 'delivered' | 'breaker'> {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const attemptSeconds = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of an attempt',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const latency = new Histogram({
    name: 'webhook_delivery_latency_seconds',
    help: 'Time from the event to the successful response of the receiver',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers: [registry],
  })
  const breakers = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'State changes of circuit breakers: opened, reopened after a failed probe, closed after a successful probe',
    labelNames: ['change'],
    registers: [registry],
  })
  for (const change of ['opened', 'reopened', 'closed']) breakers.inc({ change }, 0)
  return {
    attempted: (outcome, seconds) => {
      attempts.inc({ outcome })
      attemptSeconds.observe(seconds)
    },
    delivered: (seconds) => latency.observe(seconds),
    breaker: (change) => breakers.inc({ change }),
  }
}

function stateMetrics(
  registry: Registry,
): Pick<DispatchMetrics, 'queueDepth' | 'backlog' | 'unfinishedFanOuts' | 'liveDispatchers'> {
  const depth = new Gauge({
    name: 'webhook_queue_depth',
    help: 'Messages ready in a queue',
    labelNames: ['queue'],
    registers: [registry],
  })
  const backlogged = new Gauge({
    name: 'webhook_deliveries_backlogged',
    help: 'Deliveries in the backlogs of their destinations, held ones included (counts at most 100 000)',
    registers: [registry],
  })
  const dispatchable = new Gauge({
    name: 'webhook_deliveries_dispatchable',
    help: 'Deliveries in backlogs that may be sent: subscription enabled, breaker closed (counts at most 100 000)',
    registers: [registry],
  })
  const oldest = new Gauge({
    name: 'webhook_oldest_dispatchable_age_seconds',
    help: 'Time since the first delivery that may be sent entered its backlog',
    registers: [registry],
  })
  const breakersOpen = new Gauge({
    name: 'webhook_breakers_open',
    help: 'Destinations whose circuit breaker is open or half open',
    registers: [registry],
  })
  const fanOuts = new Gauge({
    name: 'webhook_fan_outs_unfinished',
    help: 'Events with many subscriptions of which later pages wait for fan-out (counts at most 100 000)',
    registers: [registry],
  })
  const live = new Gauge({
    name: 'webhook_live_dispatchers',
    help: 'Dispatchers among which the limits of destinations and tenants are divided',
    registers: [registry],
  })
  return {
    liveDispatchers: (total) => live.set(total),
    unfinishedFanOuts: (total) => fanOuts.set(total),
    queueDepth: (queue, messages) => depth.set({ queue }, messages),
    backlog: (state) => {
      backlogged.set(state.backlogged)
      dispatchable.set(state.dispatchable)
      oldest.set(state.oldestDispatchableSeconds)
      breakersOpen.set(state.breakersOpen)
    },
  }
}

function maintenanceMetrics(registry: Registry): Pick<DispatchMetrics, 'swept' | 'retained' | 'reconciled'> {
  const swept = new Counter({
    name: 'webhook_deliveries_swept_total',
    help: 'Overdue deliveries that the sweeper added to a backlog',
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'webhook_partitions_dropped_total',
    help: 'Partitions of events, deliveries and attempts that were dropped at the end of the retention period',
    registers: [registry],
  })
  const deleted = new Counter({
    name: 'webhook_rows_deleted_total',
    help: 'Rows without a partition of their own that were deleted at the end of the retention period',
    registers: [registry],
  })
  const reconciled = new Counter({
    name: 'webhook_dead_letters_reconciled_total',
    help: 'Messages added to or removed from webhooks.dead-letters by the reconciliation with the dead rows',
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
