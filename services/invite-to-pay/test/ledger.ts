import { newId } from '@payments/chassis/base/id'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Operation, Transaction } from '@payments/contracts/nouns/transaction'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'

/** The transactions at payment-proxy, and the outcomes of their payments. */

export type Payment = RequestOf<typeof paymentProxy.endpoints.payInvitation>

export function buildTransaction(fields: Partial<Transaction> & Pick<Transaction, 'business_unit_id'>): Transaction {
  const now = new Date().toISOString()
  return {
    id: newId(),
    object: 'transaction',
    payment_orchestrator_id: newId(),
    external_reference: null,
    status: 'pending',
    currency: 'EUR',
    amount: 3998,
    amount_authorized: 0,
    amount_captured: 0,
    amount_refunded: 0,
    amount_voided: 0,
    amount_capturable: 0,
    amount_refundable: 0,
    capture: false,
    i2p: false,
    locale: null,
    invitation: null,
    payment_method: null,
    authorization_expires_at: null,
    pending_operation: null,
    last_error: null,
    transaction_items: [{ name: 'Coffee', unit_amount: 1999, quantity: 2 }],
    customer_details: null,
    metadata: {},
    version: 1,
    created_at: now,
    updated_at: now,
    operations: [],
    ...fields,
  }
}

/** The bank of the payer reports the end of a payment that waited for it. */
export function endConfirmation(transaction: Transaction, state: 'succeeded' | 'declined', declineCode: string): void {
  const operation = transaction.operations.find(({ id }) => id === transaction.pending_operation?.id)
  if (operation === undefined) throw new Error('no payment waits for the payer')
  Object.assign(operation, buildOperation({ id: operation.id, state }))
  if (operation.error != null) operation.error.decline_code = declineCode
  Object.assign(transaction, state === 'succeeded' ? authorizedIn(transaction) : { status: 'failed' }, {
    pending_operation: null,
  })
}

/**
 * Outcomes by token: `tok_declined`, `tok_not_attempted`, `tok_pending`, `tok_challenge`; `tok_unknown_token` is
 * rejected. With capture, `tok_capture_declined` and `tok_capture_pending` are the outcomes of the capture.
 */
export function authorize(
  transaction: Transaction,
  { payment_id: id, start_before: startBefore, ...payment }: Payment['body'],
) {
  if (transaction.operations.some((one) => one.id === id)) return
  if (new Date() >= startBefore || payment.amount !== transaction.amount) {
    throw new Problem(problems.payment_not_started)
  }
  const declines = transaction.operations.filter(({ state }) => state === 'declined').length
  if ((transaction.status !== 'pending' && transaction.status !== 'failed') || declines > 10) {
    throw new Problem(problems.invalid_transaction_state)
  }
  const token = payment.payment_details.cc_token
  if (token === 'tok_unknown_token') {
    const errors = [{ pointer: '/payment_details/cc_token', detail: 'is not a token of the payment orchestrator' }]
    throw new Problem(problems.unknown_payment_token, { errors })
  }
  const state = paymentState(token)
  transaction.operations.push(buildOperation({ id, state, amount: transaction.amount }))
  transaction.version += 1
  if (state === 'succeeded') {
    const payment_method = { type: 'CREDIT_CARD', brand: 'visa', last4: '4242' }
    Object.assign(transaction, { ...authorizedIn(transaction), payment_method })
    if (payment.capture) capture(transaction, captureState(token))
  }
  if (state === 'declined') transaction.status = 'failed'
  if (state === 'action_required') {
    const expires_at = new Date(Date.now() + 1_800_000).toISOString()
    const action = { type: 'redirect', url: bankUrl, expires_at } as const
    transaction.pending_operation = { id, type: 'authorize', state, action }
  }
}

/** The fields that an authorization of the whole amount changes. */
export const authorizedIn = ({ amount }: Transaction) =>
  ({ status: 'authorized', amount_authorized: amount, amount_capturable: amount }) as const

/** The capture of an authorized transaction, as a whole or in part. */
export function capture(transaction: Transaction, state: Operation['state'], amount = transaction.amount): void {
  const id = newId()
  transaction.operations.push(buildOperation({ id, type: 'capture', state, amount }))
  transaction.pending_operation = state === 'pending' ? { id, type: 'capture', state, action: null } : null
  if (state !== 'succeeded') return
  transaction.amount_captured += amount
  transaction.amount_capturable -= amount
  transaction.status = transaction.amount_capturable === 0 ? 'captured' : 'partially_captured'
}

function captureState(token: string): Operation['state'] {
  if (token === 'tok_capture_declined') return 'declined'
  return token === 'tok_capture_pending' ? 'pending' : 'succeeded'
}

export const bankUrl = 'https://bank.example.com/confirm?id=1'

function paymentState(token: string): Operation['state'] {
  if (token === 'tok_declined') return 'declined'
  if (token === 'tok_not_attempted') return 'not_attempted'
  if (token === 'tok_challenge') return 'action_required'
  return token === 'tok_pending' ? 'pending' : 'succeeded'
}

export function buildOperation(fields: Partial<Operation> & Pick<Operation, 'id' | 'state'>): Operation {
  const declined = {
    code: 'payment_declined',
    decline_code: 'insufficient_funds',
    retryable: true,
    provider_code: null,
  }
  return {
    type: 'authorize',
    amount: 3998,
    reason: null,
    provider_reference: null,
    error: fields.state === 'declined' ? declined : null,
    open_reason: null,
    authentication: null,
    resolution: null,
    stage: null,
    attempt_count: 1,
    trace_id: newId(),
    actor: { type: 'payer', id: null },
    created_at: new Date().toISOString(),
    completed_at: null,
    ...fields,
  }
}
