import { createFairPermits, type FairPermits } from '@payments/chassis/base/fair-permits'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/** Runs requests that may call a payment provider. The subjects are tenants. */
export type ProviderPermits = Pick<FairPermits, 'run'>

export const providerPermitLimits = {
  permitsMax: 512,
  perTenantMax: 128,
  /** Of one credential, and of the links. */
  perMemberMax: 96,
  waitingMax: 1_000,
  waitMsMax: 5_000,
}

const retryAfterSeconds = 1

/**
 * **What it does.** Divides the requests of this process that may call payment providers among tenants.
 *
 * **Guarantees.** A tenant has at most `perTenantMax` requests in progress, through any number of payment
 * orchestrators and the sandbox. Tenants that wait take turns. A request waits before its operation exists: without a
 * permit nothing is recorded or sent. Throws rate_limited at the limit of the tenant, service_unavailable at the
 * limit of the process.
 *
 * **Not guaranteed.** A bound over processes. Jobs have permits of their own (work-permits.ts).
 */
export function createProviderPermits(limits = providerPermitLimits): ProviderPermits {
  const { perTenantMax: perSubjectMax, ...total } = limits
  return createFairPermits({
    ...total,
    perSubjectMax,
    createRejection: (limit) => {
      if (limit === 'total') {
        const detail = 'The service has reached its limit of payments in progress'
        return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
      }
      const [holder, max] = limit === 'member' ? ['credential', total.perMemberMax] : ['tenant', perSubjectMax]
      const detail = `The ${holder} has reached its limit of ${max} payments in progress`
      return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
    },
  })
}
