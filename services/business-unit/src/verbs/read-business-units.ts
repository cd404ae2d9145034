import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type BusinessUnit, type FoundUnit, problems } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentBusinessUnit } from '../domain/business-unit.ts'
import { presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

export async function listBusinessUnits(
  deps: Deps,
  { tenantId }: Caller,
  { status, cursor, limit }: PageQuery & { readonly status?: BusinessUnit['status'] | undefined },
): Promise<Page<BusinessUnit>> {
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) => units.list(tx, tenantId, { status, before, limit }))
  return toPage(rows, limit, presentBusinessUnit)
}

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

/** One snapshot of the unit and of all its payment orchestrators. Throws business_unit_not_found. */
export function findBusinessUnit(deps: Deps, tenantId: string, businessUnitId: string): Promise<FoundUnit> {
  return deps.db.inTenant(
    tenantId,
    async (tx) => {
      const unit = await units.find(tx, tenantId, businessUnitId)
      if (unit === null) throw new Problem(problems.business_unit_not_found)
      const all = await orchestrators.listAll(tx, tenantId, businessUnitId)
      return {
        tenant_id: tenantId,
        business_unit: presentBusinessUnit(unit),
        payment_orchestrators: all.map(presentPaymentOrchestrator),
      }
    },
    { isolationLevel: 'RepeatableRead' },
  )
}
