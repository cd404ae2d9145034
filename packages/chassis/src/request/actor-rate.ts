import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { actorName, type Caller } from '../base/caller.ts'
import { createRates, type Rate } from '../base/rates.ts'

/** An actor has half of the rate of its tenant, so that one key cannot keep the others from the action. */
const actorShare = 0.5

export type ActorRate = <T>(
  caller: Pick<Caller, 'tenantId' | 'actor' | 'idempotency'>,
  act: () => Promise<T>,
) => Promise<T>

/**
 * Returns a function that runs an action of a tenant, or throws rate_limited: "The API key `action` too often". An
 * action that ends with a problem, or with a stored response, does not count: it changed nothing. Each process counts
 * for itself.
 */
export function createActorRate(action: string, { perSecond, burst }: Rate): ActorRate {
  const ofTenants = createRates({ perSecond, burst })
  const ofActors = createRates({ perSecond: perSecond * actorShare, burst: burst * actorShare })
  return async ({ tenantId, actor, idempotency }, act) => {
    const [ofActor, who] = [`${tenantId} ${actorName(actor)}`, actor.type === 'user' ? 'user' : 'API key']
    const actorWaits = ofActors(ofActor)
    if (actorWaits > 0) throw rateLimited(`The ${who} ${action} too often`, actorWaits)
    const tenantWaits = ofTenants(tenantId)
    if (tenantWaits > 0) {
      ofActors.takeBack(ofActor)
      throw rateLimited(`The tenant ${action} too often`, tenantWaits)
    }
    const takeBack = () => {
      ofActors.takeBack(ofActor)
      ofTenants.takeBack(tenantId)
    }
    try {
      const result = await act()
      if (idempotency?.replayed === true) takeBack()
      return result
    } catch (error) {
      if (error instanceof Problem) takeBack()
      throw error
    }
  }
}

function rateLimited(detail: string, retryAfterSeconds: number): Problem {
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
