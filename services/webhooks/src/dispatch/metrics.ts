import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type DispatchMetrics = ReturnType<typeof createDispatchMetrics>

export function createDispatchMetrics(registry: Registry) {
  const registers = [registry]
  return { ...attemptMetrics(registers), ...maintenanceMetrics(registers), ...stateMetrics(registers) }
}

function attemptMetrics(registers: Registry[]) {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of an attempt',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const latency = new Histogram({
    name: 'webhook_delivery_latency_seconds',
    help: 'Time from the event to the successful response of the receiver',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers,
  })
  const breakerChanges = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'State changes of circuit breakers: opened, reopened after a failed probe, closed after a successful probe',
    labelNames: ['change'],
    registers,
  })
  for (const change of ['opened', 'reopened', 'closed']) breakerChanges.inc({ change }, 0)
  return { attempts, attemptSeconds, latency, breakerChanges }
}

function maintenanceMetrics(registers: Registry[]) {
  const swept = new Counter({
    name: 'webhook_deliveries_swept_total',
    help: 'Overdue deliveries that the sweeper added to a backlog',
    registers,
  })
  const partitionsDropped = new Counter({
    name: 'webhook_partitions_dropped_total',
    help: 'Partitions of events, deliveries and attempts that were dropped at the end of the retention period',
    registers,
  })
  const rowsDeleted = new Counter({
    name: 'webhook_rows_deleted_total',
    help: 'Rows outside of every partition that were deleted at the end of the retention period',
    registers,
  })
  const reconciled = new Counter({
    name: 'webhook_dead_letters_reconciled_total',
    help: 'Messages added to or removed from webhooks.dead-letters by the reconciliation with the dead rows',
    labelNames: ['repair'],
    registers,
  })
  return { swept, partitionsDropped, rowsDeleted, reconciled }
}

function stateMetrics(registers: Registry[]) {
  const queueDepth = new Gauge({
    name: 'webhook_queue_depth',
    help: 'Messages ready in a queue',
    labelNames: ['queue'],
    registers,
  })
  const gauge = (definition: { name: string; help: string }) => new Gauge({ ...definition, registers })
  return {
    queueDepth,
    backlogged: gauge({
      name: 'webhook_deliveries_backlogged',
      help: 'Deliveries in the backlogs of their destinations, held ones included (counts at most 100 000)',
    }),
    dispatchable: gauge({
      name: 'webhook_deliveries_dispatchable',
      help: 'Deliveries in backlogs that may be sent: subscription enabled, breaker closed (counts at most 100 000)',
    }),
    oldestDispatchableSeconds: gauge({
      name: 'webhook_oldest_dispatchable_age_seconds',
      help: 'Time since the first delivery that may be sent entered its backlog',
    }),
    breakersOpen: gauge({
      name: 'webhook_breakers_open',
      help: 'Destinations whose circuit breaker is open or half open',
    }),
    unfinishedFanOuts: gauge({
      name: 'webhook_fan_outs_unfinished',
      help: 'Events with many subscriptions of which later pages wait for fan-out (counts at most 100 000)',
    }),
    liveDispatchers: gauge({
      name: 'webhook_live_dispatchers',
      help: 'Dispatchers among which the limits of destinations and tenants are divided',
    }),
  }
}
