import { getHeapStatistics } from 'node:v8'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { roundTrips } from '../database/session.ts'
import { transactionRetries, transactionsInProgress } from '../database/transaction.ts'

export interface Metrics {
  readonly registry: Registry
  observeRequest(operation: string, status: number, seconds: number): void
  observeComponent(name: string, isUp: boolean): void
}

/**
 * Interval of the timer that measures event loop delays; measured delays include it. With the default of prom-client
 * (10 ms) the timer alone uses more of an idle process than all other timers together.
 */
const eventLoopPrecisionMs = 200

/** Registered by `createMetrics`. Without labels, so that the series exists from the start: an alert needs it. */
export const unreadableItems = new Counter({
  name: 'list_items_unreadable_total',
  help: 'Items of lists that their contract rejected, and that the response names in place of showing them',
  registers: [],
})

/** The Prometheus metrics of one process, served at `/metrics` of a port to which the gateway does not forward. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPrecisionMs })
  // Gauges with names of counters; `nodejs_active_handles` and the like have the counts by type.
  for (const resource of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${resource}_total`)
  registry.registerMetric(transactionRetries)
  registry.registerMetric(unreadableItems)
  registry.registerMetric(transactionsInProgress)
  registry.registerMetric(roundTrips)
  new Gauge({
    name: 'nodejs_heap_size_limit_bytes',
    help: 'Heap size at which V8 ends the process',
    registers: [registry],
  }).set(getHeapStatistics().heap_size_limit)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const components = new Gauge({
    name: 'component_up',
    help: 'Whether a component of the readiness check works: 1 or 0',
    labelNames: ['component'],
    registers: [registry],
  })
  return {
    registry,
    observeRequest: (operation, status, seconds) => requests.observe({ operation, status }, seconds),
    observeComponent: (component, isUp) => components.set({ component }, isUp ? 1 : 0),
  }
}

export interface ReadGauge {
  readonly name: string
  readonly help: string
  readonly read: () => Promise<number>
}

/** Registers a gauge that is read at each scrape. NaN when it cannot be read, so that other metrics do not fail. */
export function registerGauge(registry: Registry, { name, help, read }: ReadGauge): void {
  const shared = sharedRead(() => read().catch(() => Number.NaN))
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await shared())
    },
  })
}

/**
 * One read for several gauges of a scrape: calls while a read is in progress share its result. The values of a scrape
 * are read together, so a gauge that another one sets would export the value of the previous scrape.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}
