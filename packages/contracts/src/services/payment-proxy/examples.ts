import type { Operation, Transaction } from '../../nouns/transaction.ts'

/** Payloads of events for the documentation, all about one transaction. */

type Snapshot = Omit<Transaction, 'operations'>

const at = '2026-11-21T10:00:00.000Z'

const transaction: Snapshot = {
  id: '0191e4a2-7c1e-7d11-8c55-91b6e0a7c020',
  object: 'transaction',
  business_unit_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c002',
  payment_orchestrator_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c010',
  external_reference: 'order-4711',
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
  transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }],
  customer_details: null,
  metadata: {},
  version: 1,
  created_at: at,
  updated_at: at,
}

const operation: Operation = {
  id: '0191e4a2-7c20-7d11-8c55-91b6e0a7c021',
  type: 'authorize',
  state: 'succeeded',
  amount: 3998,
  reason: null,
  provider_reference: 'sbx_0191e4a27c207d118c5591b6e0a7c021',
  error: null,
  open_reason: null,
  authentication: null,
  resolution: null,
  stage: null,
  attempt_count: 1,
  trace_id: '0191e4a2-7c1f-7d11-8c55-91b6e0a7c022',
  actor: { type: 'api_key', id: '0191e4a2-0000-7d11-8c55-91b6e0a7c003' },
  created_at: at,
  completed_at: at,
}

const error = { code: 'payment_declined', decline_code: 'insufficient_funds', retryable: true, provider_code: '51' }
const lastError = { code: error.code, decline_code: error.decline_code, operation_id: operation.id }
const declined: Partial<Operation> = { state: 'declined', error }

const authorized: Partial<Snapshot> = {
  status: 'authorized',
  amount_authorized: 3998,
  amount_capturable: 3998,
  payment_method: { type: 'CREDIT_CARD', brand: 'visa', last4: '4242' },
  authorization_expires_at: '2026-11-28T10:00:00.000Z',
}
const captured: Partial<Snapshot> = {
  ...authorized,
  status: 'captured',
  amount_captured: 3998,
  amount_capturable: 0,
  amount_refundable: 3998,
}

const buildExample = (changes: Partial<Snapshot>, version: number, about: Partial<Operation>) => ({
  transaction: { ...transaction, ...changes, version },
  operation: { ...operation, ...about },
  version,
})
const buildFailure = (changes: Partial<Snapshot>, version: number, about: Partial<Operation>) =>
  buildExample({ ...changes, last_error: lastError }, version, { ...declined, ...about })

export const eventExamples = {
  create: { transaction, operation: null, version: 1 },
  authorize: buildExample(authorized, 3, {}),
  authorizeFailed: buildFailure({ status: 'failed' }, 3, {}),
  authorizeAndCapture: buildExample({ ...captured, capture: true }, 4, { type: 'capture', stage: 'capture' }),
  authorizeAndCaptureFailed: buildFailure({ status: 'failed', capture: true }, 3, { stage: 'authorize' }),
  capture: buildExample(captured, 5, { type: 'capture' }),
  captureFailed: buildFailure(authorized, 5, { type: 'capture' }),
  void: buildExample({ ...authorized, status: 'voided', amount_voided: 3998, amount_capturable: 0 }, 5, {
    type: 'void',
    reason: 'out of stock',
  }),
  voidFailed: buildFailure(authorized, 5, { type: 'void' }),
  refund: buildExample(
    { ...captured, status: 'partially_refunded', amount_refunded: 1999, amount_refundable: 1999 },
    7,
    {
      type: 'refund',
      amount: 1999,
      reason: 'One item was damaged',
    },
  ),
  refundFailed: buildFailure(captured, 7, { type: 'refund', amount: 1999 }),
}
