import { createFairPermits, type FairPermits } from '@payments/chassis/base/fair-permits'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

export interface UpstreamPermitLimits {
  /** The subject of the limits: a tenant, or the address of a request without a credential. */
  readonly kind: 'tenant' | 'address'
  readonly permitsMax: number
  readonly perSubjectMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

const retryAfterSeconds = 1

/**
 * Limits the requests in progress at one service. Tenants and addresses have permits of their own. A request acquires a
 * permit immediately before forwarding, and releases the permit when the response of the service has ended or broken
 * off. Without a permit: rate_limited at the limit of the subject, service_unavailable at the limit of the service.
 */
export function createUpstreamPermits({ kind, ...limits }: UpstreamPermitLimits): FairPermits {
  return createFairPermits({
    ...limits,
    rejectionOf: (limit) => {
      if (limit === 'total') {
        const detail = 'The service has reached its limit of requests in progress'
        return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
      }
      const detail = `The ${kind} has reached its limit of ${limits.perSubjectMax} requests in progress at this service`
      return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
    },
  })
}
