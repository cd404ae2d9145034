import { actorName, type Caller } from '@payments/chassis/base/caller'
import { createRates, type Rate } from '@payments/chassis/base/rates'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/** Of the changes of a tenant: four services merge each into their copies, in order for all tenants. */
const changeRate: Rate = { perSecond: 2, burst: 300 }

/** An actor has half of the rate of its tenant, so that one key cannot keep the others from a change. */
const actorShare = 0.5

export type ChangeRate = <T>(caller: Pick<Caller, 'tenantId' | 'actor'>, change: () => Promise<T>) => Promise<T>

/**
 * Returns a function that runs a change of a tenant, or throws rate_limited. A change that ends with a problem does not
 * count: it changed nothing.
 */
export function createChangeRate({ perSecond, burst } = changeRate): ChangeRate {
  const ofTenants = createRates({ perSecond, burst })
  const ofActors = createRates({ perSecond: perSecond * actorShare, burst: burst * actorShare })
  return async ({ tenantId, actor }, change) => {
    const [ofActor, who] = [`${tenantId} ${actorName(actor)}`, actor.type === 'user' ? 'user' : 'API key']
    const actorWaits = ofActors(ofActor)
    if (actorWaits > 0) throw rateLimited(`The ${who}`, actorWaits)
    const tenantWaits = ofTenants(tenantId)
    if (tenantWaits > 0) {
      ofActors.takeBack(ofActor)
      throw rateLimited('The tenant', tenantWaits)
    }
    try {
      return await change()
    } catch (error) {
      if (error instanceof Problem) {
        ofActors.takeBack(ofActor)
        ofTenants.takeBack(tenantId)
      }
      throw error
    }
  }
}

function rateLimited(subject: string, retryAfterSeconds: number): Problem {
  const detail = `${subject} changes business units and payment orchestrators too often`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
