import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type BusinessUnit, problems } from '@payments/contracts/services/business-unit/contract'
import { destinationViolation } from '@payments/egress/destination'
import { emitBusinessUnit } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import {
  type BusinessUnitChange,
  mergeChange,
  nameTaken,
  presentBusinessUnit,
  rejectEndedCurrency,
} from '../domain/business-unit.ts'
import { rejectDestinations } from '../domain/destination.ts'
import * as units from '../store/business-units.ts'

/**
 * The given members of branding and communication change. Throws invalid_request, destination_not_allowed,
 * business_unit_not_found, business_unit_deleted, business_unit_name_taken.
 */
export async function updateBusinessUnit(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  change: BusinessUnitChange,
): Promise<BusinessUnit> {
  const { tenantId } = caller
  rejectEndedCurrency(change.defaultCurrency, new Date())
  const logo = { '/branding/logo_url': change.branding?.logo_url }
  rejectDestinations(logo, (url) => destinationViolation(url, deps.destinations))
  return deps.db.inTenant(tenantId, async (tx) => {
    if (change.name !== undefined) await units.lockBusinessUnits(tx, tenantId)
    const before = await units.lock(tx, tenantId, businessUnitId)
    if (before === null) throw new Problem(problems.business_unit_not_found)
    if (before.status === 'deleted') throw new Problem(problems.business_unit_deleted)
    if (change.name !== undefined && (await units.isNameTaken(tx, tenantId, change.name, businessUnitId))) {
      throw nameTaken()
    }
    const unit = await units.update(tx, tenantId, businessUnitId, mergeChange(before, change))
    await emitBusinessUnit(tx, caller, 'update', unit)
    return presentBusinessUnit(unit)
  })
}
