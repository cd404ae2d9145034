import { Counter, Histogram, type Registry } from 'prom-client'

/** `type`: of the operation, `sync` or `cancel`. */
interface CountedRequest {
  readonly connector: string
  readonly type: string
  readonly outcome: string
  readonly seconds: number
}

export function createProviderMetrics(registry: Registry): (request: CountedRequest) => void {
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
  return ({ connector, type, outcome, seconds }) => {
    requests.inc({ connector, type, outcome })
    duration.observe({ connector, type }, seconds)
  }
}
