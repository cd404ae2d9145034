import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/business-unit/contract'
import { emitBusinessUnit } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import * as units from '../store/business-units.ts'

/** A deleted unit stays readable, and a second deletion changes nothing. Throws business_unit_not_found. */
export function deleteBusinessUnit(deps: Deps, caller: Caller, businessUnitId: string): Promise<undefined> {
  const { tenantId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const unit = await units.lock(tx, tenantId, businessUnitId)
    if (unit === null) throw new Problem(problems.business_unit_not_found)
    if (unit.status === 'deleted') return undefined
    await emitBusinessUnit(tx, caller, 'delete', await units.markDeleted(tx, tenantId, businessUnitId))
    return undefined
  })
}
