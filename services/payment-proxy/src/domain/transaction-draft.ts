import type { RequestOf } from '@payments/contracts/contract'
import type { Invitation } from '@payments/contracts/invitation'
import type { paymentProxy } from '@payments/contracts/payment-proxy'
import type { UnitCopy } from './business-unit.ts'
import { totalOf } from './item.ts'
import { currencyOf, type Payment, requireActive, usableOrchestrator } from './payment-orchestrator.ts'
import type { Transaction } from './transaction.ts'

export type TransactionDraft = Omit<
  RequestOf<typeof paymentProxy.endpoints.createTransaction>['body'],
  'i2p' | 'invitation'
>

/**
 * The new transaction of a request. Throws business_unit_deleted, payment_orchestrator_unusable, invalid_request,
 * amount_mismatch.
 */
export function transactionFrom(
  draft: TransactionDraft,
  unit: UnitCopy,
  paymentMethod: Payment['paymentMethod'],
  { id, now, invitation = null }: { id: string; now: Date; invitation?: Invitation | null },
): Transaction {
  requireActive(unit)
  const { transaction, customer_details: customerDetails } = draft
  const currency = currencyOf(unit, draft.currency)
  const { payment_orchestrator_id: paymentOrchestratorId } = transaction
  const orchestrator = usableOrchestrator(unit, { paymentOrchestratorId, currency, paymentMethod })
  const items = (transaction.transaction_items ?? []).map(({ id: itemId, ...item }) =>
    itemId === undefined ? item : { id: itemId, ...item },
  )
  return {
    id,
    tenantId: unit.tenantId,
    businessUnitId: draft.business_unit_id,
    paymentOrchestratorId: orchestrator.id,
    merchantId: transaction.merchant_id ?? null,
    externalReference: draft.external_reference ?? null,
    currency,
    amount: totalOf(draft.amount, items),
    capture: draft.capture,
    i2p: invitation !== null,
    invitation,
    paymentMethod: null,
    authorizationExpiresAt: null,
    items,
    customerDetails: customerDetails ?? null,
    metadata: draft.metadata,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
}
