import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type PaymentOrchestrator, problems } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Throws business_unit_not_found, payment_orchestrator_not_found. */
export function readPaymentOrchestrator(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  paymentOrchestratorId: string,
): Promise<PaymentOrchestrator> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    if ((await units.find(tx, tenantId, businessUnitId)) === null) throw new Problem(problems.business_unit_not_found)
    const one = await orchestrators.find(tx, tenantId, businessUnitId, paymentOrchestratorId)
    if (one === null) throw new Problem(problems.payment_orchestrator_not_found)
    return presentPaymentOrchestrator(one)
  })
}
