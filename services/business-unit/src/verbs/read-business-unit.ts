import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type BusinessUnit, problems } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentBusinessUnit } from '../domain/business-unit.ts'
import * as units from '../store/business-units.ts'

/** Throws business_unit_not_found. */
export async function readBusinessUnit(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
): Promise<BusinessUnit> {
  const unit = await deps.db.readInTenant(tenantId, (tx) => units.find(tx, tenantId, businessUnitId))
  if (unit === null) throw new Problem(problems.business_unit_not_found)
  return presentBusinessUnit(unit)
}
