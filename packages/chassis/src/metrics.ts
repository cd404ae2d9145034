import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { transactionRetries } from './transaction.ts'

export interface Metrics {
  readonly registry: Registry
  observeRequest(operation: string, status: number, seconds: number): void
}

/**
 * Interval of the timer that measures event loop delays; measured delays include it. With the default of prom-client
 * (10 ms) the timer alone uses almost 1 % of a core in an idle process.
 */
const eventLoopPrecisionMs = 50

/** The Prometheus metrics of one process, served at `/metrics` of a port to which the gateway does not forward. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPrecisionMs })
  registry.registerMetric(transactionRetries)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  return {
    registry,
    observeRequest: (operation, status, seconds) => requests.observe({ operation, status }, seconds),
  }
}
