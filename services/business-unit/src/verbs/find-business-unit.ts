import { Problem } from '@payments/contracts/grammar/problem'
import { type FoundUnit, problems } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentBusinessUnit } from '../domain/business-unit.ts'
import { presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

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
