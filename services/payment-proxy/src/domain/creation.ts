import type { RequestOf } from '@payments/contracts/contract'
import type { paymentProxy } from '@payments/contracts/payment-proxy'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { isCurrency } from './currency.ts'
import { totalOf } from './item.ts'
import type { Transaction } from './transaction.ts'

export type Creation = RequestOf<typeof paymentProxy.endpoints.createTransaction>['body']

/** The new transaction of a request. Throws invalid_request, amount_mismatch. */
export function transactionFrom(
  creation: Creation,
  { id, tenantId, now }: { id: string; tenantId: string; now: Date },
): Transaction {
  const { currency, transaction, customer_details: customerDetails } = creation
  if (!isCurrency(currency)) {
    const detail = 'must be an ISO 4217 code, for example EUR'
    throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: '/currency', detail }] })
  }
  const items = (transaction.transaction_items ?? []).map(({ id: itemId, ...item }) =>
    itemId === undefined ? item : { id: itemId, ...item },
  )
  return {
    id,
    tenantId,
    businessUnitId: creation.business_unit_id,
    paymentOrchestratorId: transaction.payment_orchestrator_id ?? null,
    merchantId: transaction.merchant_id ?? null,
    externalReference: creation.external_reference ?? null,
    currency,
    amount: totalOf(creation.amount, items),
    capture: creation.capture,
    paymentMethod: null,
    authorizationExpiresAt: null,
    items,
    customerDetails: customerDetails ?? null,
    metadata: creation.metadata,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
}
