import { Counter, Histogram, type Registry } from 'prom-client'

export interface ProviderMetrics {
  /** `type`: of the operation, `sync` or `cancel`. */
  observe(request: { connector: string; type: string; outcome: string; seconds: number }): void
}

export function createProviderMetrics(registry: Registry): ProviderMetrics {
  const requests = new Counter({
    name: 'provider_requests_total',
    help: 'Requests to payment providers, by outcome',
    labelNames: ['connector', 'type', 'outcome'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'provider_request_duration_seconds',
    help: 'Time from the start of a request to a payment provider to its outcome',
    labelNames: ['connector', 'type'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
    registers: [registry],
  })
  return {
    observe: ({ connector, type, outcome, seconds }) => {
      requests.inc({ connector, type, outcome })
      duration.observe({ connector, type }, seconds)
    },
  }
}
