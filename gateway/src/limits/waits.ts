import { actorName } from '@payments/chassis/base/caller'
import { createFairPermits, type FairPermits, type Release } from '@payments/chassis/base/fair-permits'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Principal } from '../authorization/principal.ts'
import { InProgress } from './in-progress.ts'

/**
 * **What it does.** Limits the requests that wait for a change (`waits` of a contract), apart from those of services: a
 * wait lasts seconds and does nothing meanwhile. Ends them when the process drains.
 *
 * **Guarantees.** At most `totalMax` waits, `perTenantMax` of a tenant and `perActorMax` of a user or API key. A wait
 * beyond a limit is rejected at once. After `stop`, no wait begins, and each open one has ended.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface Waits {
  /** Returns the function that releases the permit. Throws rate_limited or service_unavailable. */
  acquire(principal: Pick<Principal, 'tenantId' | 'actor'>): Release
  /** `end` ends the wait with a problem. Returns the function that removes `end`. */
  register(end: (problem: Problem) => void): () => void
  stop(): Promise<void>
}

const limitsDefault = { totalMax: 2_000, perTenantMax: 20, perActorMax: 6 }
const retryAfterSeconds = 1

export function createWaits({ totalMax, perTenantMax, perActorMax } = limitsDefault): Waits {
  const tenants = permits(totalMax, perTenantMax, 'The tenant')
  const actors = permits(totalMax, perActorMax, 'The user or API key')
  const open = new InProgress<(problem: Problem) => void>()
  let stopped = false
  return {
    acquire: ({ tenantId, actor }) => {
      if (stopped) throw stopping()
      const ofActor = actors.acquire(`${tenantId} ${actorName(actor)}`)
      try {
        const ofTenant = tenants.acquire(tenantId)
        return () => {
          ofTenant()
          ofActor()
        }
      } catch (error) {
        ofActor()
        throw error
      }
    },
    register: (end) => open.add(end),
    stop: async () => {
      stopped = true
      for (const end of [...open]) end(stopping())
    },
  }
}

function stopping(): Problem {
  return new Problem(commonProblems.service_unavailable, { detail: 'The gateway is stopping', retryAfterSeconds })
}

function permits(permitsMax: number, perSubjectMax: number, subject: string): { acquire(name: string): Release } {
  const rejected = () => {
    const detail = `${subject} has reached its limit of ${perSubjectMax} waits at the same time`
    return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
  const full = () => {
    const detail = 'The gateway has reached its limit of waits'
    return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
  }
  // Without a queue: a permit is free, or the wait is rejected.
  const fair: FairPermits = createFairPermits({
    ...{ permitsMax, perSubjectMax, waitingMax: 0, waitMsMax: 0 },
    createRejection: (limit) => (limit === 'total' ? full() : rejected()),
  })
  return {
    acquire: (name) => {
      const release = fair.tryAcquire(name)
      if (release === undefined) throw fair.counts().inProgress >= permitsMax ? full() : rejected()
      return release
    },
  }
}
