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
/** Of the permits of a tenant: payments that wait for a provider end at the same time, not one by one. */
const memberShare = 0.75

/**
 * Limits the requests in progress at one service. Tenants and addresses have separate permits; one credential has at
 * most three quarters of the permits of its tenant. A request acquires a permit immediately before forwarding, and
 * releases it when the response of the service has ended or broken off. Without a permit: rate_limited at the limit of
 * the credential, the tenant or the address, service_unavailable at the limit of the service.
 */
export function createUpstreamPermits({ kind, ...limits }: UpstreamPermitLimits): FairPermits {
  const perMemberMax = kind === 'tenant' ? Math.ceil(limits.perSubjectMax * memberShare) : limits.perSubjectMax
  return createFairPermits({
    ...limits,
    perMemberMax,
    createRejection: (limit) => {
      if (limit === 'total') {
        const detail = 'The service has reached its limit of requests in progress'
        return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
      }
      const [holder, max] = limit === 'member' ? ['key or user', perMemberMax] : [kind, limits.perSubjectMax]
      const detail = `The ${holder} has reached its limit of ${max} requests in progress at this service`
      return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
    },
  })
}
