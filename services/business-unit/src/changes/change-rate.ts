import type { Rate } from '@payments/chassis/base/rates'
import { type ActorRate, createActorRate } from '@payments/chassis/request/actor-rate'

/** Of the changes of a tenant: four services merge each into their copies, in order for all tenants. */
const changeRate: Rate = { perSecond: 2, burst: 300 }

/** Of the units that a tenant creates: a deleted unit stays for its payments, in four services. */
const creationRate: Rate = { perSecond: 1 / 60, burst: 400 }

export interface ChangeRates {
  readonly change: ActorRate
  /** The creation of a unit, which is a change too. */
  readonly create: ActorRate
}

export function createChangeRates(ofChanges = changeRate, ofCreations = creationRate): ChangeRates {
  const change = createActorRate('changes business units and payment orchestrators', ofChanges)
  const creation = createActorRate('creates business units', ofCreations)
  return { change, create: (caller, create) => change(caller, () => creation(caller, create)) }
}
