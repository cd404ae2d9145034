import { actorName, type Caller } from '@payments/chassis/base/caller'
import { createRates, type Rate } from '@payments/chassis/base/rates'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/** Of the changes of a tenant: four services merge each into their copies, in order for all tenants. */
const changeRate: Rate = { perSecond: 2, burst: 300 }

/** Of the units that a tenant creates: a deleted unit is kept for its payments, in four services. */
const creationRate: Rate = { perSecond: 1 / 60, burst: 400 }

/** An actor has half of the rate of its tenant, so that one key cannot keep the others from a change. */
const actorShare = 0.5

export type ChangeRate = <T>(caller: Pick<Caller, 'tenantId' | 'actor'>, change: () => Promise<T>) => Promise<T>

export interface ChangeRates {
  readonly change: ChangeRate
  /** The creation of a unit, which is a change too. */
  readonly create: ChangeRate
}

export function createChangeRates(ofChanges = changeRate, ofCreations = creationRate): ChangeRates {
  const change = createChangeRate('changes business units and payment orchestrators', ofChanges)
  const creation = createChangeRate('creates business units', ofCreations)
  return { change, create: (caller, create) => change(caller, () => creation(caller, create)) }
}

/**
 * Returns a function that runs a change of a tenant, or throws rate_limited. A change that ends with a problem does not
 * count: it changed nothing.
 */
function createChangeRate(action: string, { perSecond, burst }: Rate): ChangeRate {
  const ofTenants = createRates({ perSecond, burst })
  const ofActors = createRates({ perSecond: perSecond * actorShare, burst: burst * actorShare })
  return async ({ tenantId, actor }, change) => {
    const [ofActor, who] = [`${tenantId} ${actorName(actor)}`, actor.type === 'user' ? 'user' : 'API key']
    const actorWaits = ofActors(ofActor)
    if (actorWaits > 0) throw rateLimited(`The ${who} ${action} too often`, actorWaits)
    const tenantWaits = ofTenants(tenantId)
    if (tenantWaits > 0) {
      ofActors.takeBack(ofActor)
      throw rateLimited(`The tenant ${action} too often`, tenantWaits)
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

function rateLimited(detail: string, retryAfterSeconds: number): Problem {
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
