import { Problem } from '@payments/contracts/grammar/problem'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { Deps } from '../deps.ts'
import { type Payment, usableOrchestrator } from '../domain/payment-orchestrator.ts'
import type { Transaction } from '../domain/transaction.ts'
import { choosePayment, type TransactionDraft } from '../domain/transaction-draft.ts'
import { requireTransaction } from '../store/transactions.ts'
import { unlessProblem } from './unless-problem.ts'

interface Context {
  readonly tenantId: string
  readonly traceId: string
}

type UnitDeps = Pick<Deps, 'units' | 'brokerCheck' | 'acceptsTestMode' | 'now'>

/**
 * The business unit for a payment. Events update the copy after the response to a change, so a copy that does not
 * accept the payment, and any copy while no events arrive, is read again at business-unit. Without a response in time,
 * the copy decides. Calls business-unit, so never inside a transaction. Throws business_unit_not_found,
 * service_unavailable.
 */
export async function unitFor(
  { units, brokerCheck }: UnitDeps,
  context: Context,
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

/** The business unit for a new transaction, as `unitFor`. */
export function unitForDraft(
  deps: UnitDeps,
  context: Context,
  draft: TransactionDraft,
  paymentMethod: Payment['paymentMethod'],
): Promise<UnitCopy> {
  return unitFor(deps, context, draft.business_unit_id, (unit) =>
    choosePayment(draft, unit, paymentMethod, { acceptsTestMode: deps.acceptsTestMode, now: deps.now() }),
  )
}

/**
 * The business unit for an authorization of an existing transaction, as `unitFor`. Unit and payment orchestrator of a
 * transaction never change. Throws transaction_not_found too.
 */
export async function unitForAuthorization(
  deps: UnitDeps & Pick<Deps, 'db'>,
  context: Context,
  transactionId: string,
  paymentMethod: Payment['paymentMethod'],
): Promise<UnitCopy> {
  const { tenantId } = context
  const transaction = await deps.db.readInTenant(tenantId, (tx) => requireTransaction(tx, tenantId, transactionId))
  return unitFor(deps, context, transaction.businessUnitId, (unit) => {
    requireActive(unit)
    requireUsable(deps, unit, transaction, paymentMethod)
  })
}

/** The payment orchestrator of a transaction, if it takes a payment now. Throws as `usableOrchestrator`. */
export function requireUsable(
  { acceptsTestMode, now }: Pick<Deps, 'acceptsTestMode' | 'now'>,
  unit: UnitCopy,
  { paymentOrchestratorId, currency }: Transaction,
  paymentMethod: Payment['paymentMethod'],
): PaymentOrchestrator {
  return usableOrchestrator(unit, { paymentOrchestratorId, currency, paymentMethod, acceptsTestMode, now: now() })
}
