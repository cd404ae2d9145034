import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/business-unit/contract'
import { emitPaymentOrchestrator } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/**
 * A deleted payment orchestrator keeps its credentials, and a second deletion changes nothing. Without its default, a
 * unit has none. Throws business_unit_not_found, payment_orchestrator_not_found.
 */
export function deletePaymentOrchestrator(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  paymentOrchestratorId: string,
): Promise<undefined> {
  const { tenantId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const unit = await units.lock(tx, tenantId, businessUnitId)
    if (unit === null) throw new Problem(problems.business_unit_not_found)
    const { one } = await orchestrators.lockWithDefault(tx, tenantId, businessUnitId, paymentOrchestratorId)
    if (one === undefined) throw new Problem(problems.payment_orchestrator_not_found)
    if (one.status === 'deleted') return undefined
    const deleted = await orchestrators.markDeleted(tx, tenantId, paymentOrchestratorId)
    await emitPaymentOrchestrator(tx, caller, 'delete', deleted)
    return undefined
  })
}
