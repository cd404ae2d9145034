import type { Caller } from '@payments/chassis/base/caller'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { checkReasons, type PaymentOrchestratorCheck } from '@payments/contracts/services/payment-proxy/orchestrators'
import type { Deps } from '../deps.ts'

type Checked = Readonly<Record<'business_unit_id' | 'payment_orchestrator_id', string>>

/**
 * Calls the payment provider with the credentials that business-unit has now: the copy of the unit may be older. Throws
 * rate_limited, business_unit_not_found, payment_orchestrator_not_found, service_unavailable.
 */
export async function checkPaymentOrchestrator(
  deps: Pick<Deps, 'units' | 'providerCalls' | 'secondsToCheck' | 'now'>,
  { tenantId, traceId }: Caller,
  { business_unit_id: businessUnitId, payment_orchestrator_id: paymentOrchestratorId }: Checked,
): Promise<PaymentOrchestratorCheck> {
  const retryAfterSeconds = deps.secondsToCheck(tenantId)
  if (retryAfterSeconds > 0) {
    const detail = 'The tenant checks its payment orchestrators too often'
    throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
  const { paymentOrchestrators } = await deps.units.current({ tenantId, traceId }, businessUnitId)
  const orchestrator = paymentOrchestrators.find(({ id }) => id === paymentOrchestratorId)
  if (orchestrator === undefined || orchestrator.status === 'deleted') {
    throw new Problem(problems.payment_orchestrator_not_found)
  }
  const owner = { tenantId, businessUnitId, paymentOrchestratorId, traceId }
  const reason = await deps.providerCalls.check(owner, orchestrator)
  return { ok: reason === 'accepted', reason, detail: checkReasons[reason], checked_at: deps.now().toISOString() }
}
