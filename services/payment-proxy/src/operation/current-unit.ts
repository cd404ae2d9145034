import { Problem } from '@payments/contracts/grammar/problem'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import { usableOrchestrator } from '../domain/payment-orchestrator.ts'
import type { Transaction } from '../domain/transaction.ts'
import { unlessProblem } from './unless-problem.ts'

/**
 * The business unit for a new payment. Events update the copy after the response to a change, so a copy that does not
 * accept the payment, and any copy while no events arrive, is read again at business-unit. Without a response in time,
 * the copy decides. Calls business-unit, so never inside a transaction. Throws business_unit_not_found,
 * service_unavailable.
 */
export async function unitFor(
  { units, brokerCheck }: Pick<Deps, 'units' | 'brokerCheck'>,
  context: { readonly tenantId: string; readonly traceId: string },
  businessUnitId: string,
  requireAccepted: (unit: UnitCopy) => void,
): Promise<UnitCopy> {
  const copy = await units.find(context, businessUnitId)
  const accepted = unlessProblem(() => {
    requireAccepted(copy)
    return copy
  })
  if (accepted !== null && (await brokerCheck()) === null) return accepted
  return units.current(context, businessUnitId).catch((error: unknown) => {
    if (error instanceof Problem) return copy
    throw error
  })
}

/** The business unit for an authorization of an existing transaction, as `unitFor`. */
export function unitForAuthorization(
  deps: Pick<Deps, 'units' | 'brokerCheck' | 'acceptsTestMode' | 'now'>,
  context: { readonly tenantId: string; readonly traceId: string },
  { businessUnitId, paymentOrchestratorId, currency }: Transaction,
  { paymentMethod }: PaymentDetails,
): Promise<UnitCopy> {
  const { acceptsTestMode } = deps
  const payment = { paymentOrchestratorId, currency, paymentMethod, acceptsTestMode, now: deps.now() }
  return unitFor(deps, context, businessUnitId, (unit) => {
    requireActive(unit)
    usableOrchestrator(unit, payment)
  })
}
