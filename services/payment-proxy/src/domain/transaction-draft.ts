import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { Invitation, InvitationInput } from '@payments/contracts/nouns/invitation'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { totalAmount } from './item.ts'
import { chooseCurrency, type Payment, usableOrchestrator } from './payment-orchestrator.ts'
import type { Transaction } from './transaction.ts'

export type TransactionDraft = Omit<
  RequestOf<typeof paymentProxy.endpoints.createTransaction>['body'],
  'i2p' | 'invitation'
>

/**
 * Currency and payment orchestrator of a draft. Throws business_unit_deleted, payment_orchestrator_unusable,
 * test_mode_not_allowed, invalid_request.
 */
export function choosePayment(
  draft: TransactionDraft,
  unit: UnitCopy,
  paymentMethod: Payment['paymentMethod'],
  { acceptsTestMode, now }: Pick<Payment, 'acceptsTestMode' | 'now'>,
): { readonly currency: string; readonly orchestrator: PaymentOrchestrator } {
  requireActive(unit)
  const currency = chooseCurrency(unit, draft.currency, now)
  const { payment_orchestrator_id: paymentOrchestratorId } = draft.transaction
  const payment = { paymentOrchestratorId, currency, paymentMethod, acceptsTestMode, now }
  return { currency, orchestrator: usableOrchestrator(unit, payment) }
}

/**
 * The new transaction of a request. Throws business_unit_deleted, payment_orchestrator_unusable, test_mode_not_allowed,
 * invalid_request, amount_mismatch.
 */
export function transactionFrom(
  draft: TransactionDraft,
  unit: UnitCopy,
  paymentMethod: Payment['paymentMethod'],
  created: { id: string; now: Date; invitation?: Invitation | null; acceptsTestMode: boolean },
): Transaction {
  const { id, now, invitation = null } = created
  const { transaction, customer_details: customerDetails } = draft
  const { currency, orchestrator } = choosePayment(draft, unit, paymentMethod, created)
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
    amount: totalAmount(draft.amount, items),
    capture: draft.capture,
    i2p: invitation !== null,
    locale: draft.locale ?? null,
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

export function invitationFrom(given: InvitationInput): Invitation {
  return {
    communication_type: given.communication_type,
    recipient: given.recipient,
    template_id: given.template_id ?? null,
    communication_details: given.communication_details ?? {},
    expires_at: given.expires_at?.toISOString() ?? null,
    reminder_at: given.reminder_at?.toISOString() ?? null,
    return_url: given.return_url ?? null,
    locale: given.locale ?? null,
  }
}
