import { actorName } from '@payments/chassis/base/caller'
import { createFairPermits, type Release } from '@payments/chassis/base/fair-permits'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Principal } from '../authorization/principal.ts'
import { InProgress } from './in-progress.ts'

/**
 * **What it does.** Limits the requests that wait for a change (`waits` of a contract), apart from the permits of
 * services: a wait lasts seconds and does nothing meanwhile. Ends them when the process drains.
 *
 * **Guarantees.** At most `totalMax` waits, `perTenantMax` of a tenant and `perActorMax` of a user or API key. A wait
 * beyond a limit is rejected at once. After `stop`, no wait begins, and each open one has ended.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface Waits {
  /** Resolves with the function that releases the permit. Rejects with rate_limited or service_unavailable. */
  acquire(principal: Pick<Principal, 'tenantId' | 'actor'>): Promise<Release>
  /** `end` ends the wait with a problem. Returns the function that removes `end`. */
  register(end: (problem: Problem) => void): () => void
  stop(): Promise<void>
}

const limitsDefault = { totalMax: 2_000, perTenantMax: 20, perActorMax: 6 }
const retryAfterSeconds = 1

export function createWaits({ totalMax, perTenantMax, perActorMax } = limitsDefault): Waits {
  const permits = createFairPermits({
    permitsMax: totalMax,
    perSubjectMax: perTenantMax,
    perMemberMax: perActorMax,
    waitingMax: 0,
    waitMsMax: 0,
    createRejection: (limit) => {
      if (limit === 'total') return unavailable('The gateway has reached its limit of waits')
      const [holder, max] = limit === 'member' ? ['user or API key', perActorMax] : ['tenant', perTenantMax]
      const detail = `The ${holder} has reached its limit of ${max} waits at the same time`
      return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
    },
  })
  const open = new InProgress<(problem: Problem) => void>()
  let isStopped = false
  const stopping = () => unavailable('The gateway is stopping')
  return {
    async acquire({ tenantId, actor }) {
      if (isStopped) throw stopping()
      return permits.acquire(tenantId, { member: actorName(actor) })
    },
    register: (end) => open.add(end),
    async stop() {
      isStopped = true
      for (const end of [...open]) end(stopping())
    },
  }
}

function unavailable(detail: string): Problem {
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
}
