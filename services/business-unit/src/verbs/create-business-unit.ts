import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { type BusinessUnit, businessUnitsMax, problems } from '@payments/contracts/services/business-unit/contract'
import { destinationViolation } from '@payments/egress/destination'
import { emitBusinessUnit } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import { type BusinessUnitDraft, nameTaken, presentBusinessUnit, rejectEndedCurrency } from '../domain/business-unit.ts'
import { rejectDestinations } from '../domain/destination.ts'
import * as units from '../store/business-units.ts'

/** Throws invalid_request, destination_not_allowed, too_many_business_units, business_unit_name_taken. */
export async function createBusinessUnit(deps: Deps, caller: Caller, fields: BusinessUnitDraft): Promise<BusinessUnit> {
  const { tenantId } = caller
  const logo = { '/branding/logo_url': fields.branding.logo_url }
  rejectDestinations(logo, (url) => destinationViolation(url, deps.destinations))
  return once(deps.db, caller, async (tx) => {
    rejectEndedCurrency(fields.defaultCurrency, new Date())
    const id = newId()
    await units.lockBusinessUnits(tx, tenantId)
    if ((await units.countActive(tx, tenantId)) >= businessUnitsMax) throw new Problem(problems.too_many_business_units)
    if (await units.isNameTaken(tx, tenantId, fields.name, id)) throw nameTaken()
    const unit = await units.insert(tx, tenantId, id, fields)
    if (unit === undefined) throw new Error(`a business unit has the new id ${id}`)
    await emitBusinessUnit(tx, caller, 'create', unit)
    return presentBusinessUnit(unit)
  })
}
