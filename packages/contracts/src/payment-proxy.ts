import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, prose, text, uuid } from './field.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  transaction_not_found: {
    status: 404,
    title: 'There is no such transaction',
    explanation: 'The tenant has no transaction with this id.',
  },
  amount_mismatch: {
    status: 400,
    title: 'The amount is not the sum of the items',
    explanation: '`amount` must equal the sum of `unit_amount` × `quantity` over the items, in minor units.',
  },
  payment_declined: {
    status: 402,
    title: 'The payment was declined',
    explanation:
      '`decline_code` says why, `retryable` whether another attempt with the same payment method can succeed. The transaction stays and may be completed with another token.',
  },
  invalid_transaction_state: {
    status: 409,
    title: 'The transaction does not allow this now',
    explanation: '`allowed_actions` lists what it allows.',
  },
  operation_in_progress: {
    status: 409,
    title: 'Another operation on this transaction is in progress',
    explanation:
      'One operation at a time changes a transaction. Read it, or send the request again after `Retry-After`.',
  },
  external_reference_taken: {
    status: 409,
    title: 'The external reference is taken',
    explanation: 'Another transaction of the business unit has this `external_reference`.',
  },
  amount_exceeds_capturable: {
    status: 422,
    title: 'The amount exceeds what can be captured',
    explanation: '`amount_capturable` says how much can.',
  },
  amount_exceeds_refundable: {
    status: 422,
    title: 'The amount exceeds what can be refunded',
    explanation: '`amount_refundable` says how much can.',
  },
  unknown_transaction_item: {
    status: 422,
    title: 'The transaction has no such item',
    explanation:
      '`errors` names each item that is not one of the transaction, or of which fewer are left than asked for.',
  },
  payment_orchestrator_unusable: {
    status: 422,
    title: 'The payment orchestrator cannot be used',
    explanation: 'It is unknown, inactive, or belongs to another business unit.',
  },
  unknown_payment_token: {
    status: 422,
    title: 'The payment token is not known',
    explanation: 'The payment orchestrator does not know `cc_token`. The sandbox knows the `tok_sandbox_…` tokens.',
  },
  provider_unreachable: {
    status: 502,
    title: 'The payment provider could not be reached',
    explanation: 'Nothing was attempted at the provider, so trying again is safe.',
  },
})

export const amountMax = 999_999_999_999

/** Minor units of the currency: 1999 is 19.99 EUR, 1999 JPY, 1.999 KWD. */
const amount = z.int().min(1).max(amountMax)
const zeroOrMore = z.int().min(0).max(amountMax)

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, for example EUR')
  .meta({ examples: ['EUR', 'USD', 'JPY', 'KWD'] })

const item = z.strictObject({
  id: text(100).optional(),
  name: text(200),
  unit_amount: zeroOrMore,
  quantity: z.int().min(1).max(1_000_000),
})

const metadata = z
  .record(text(100), z.union([prose(1000), z.number(), z.boolean(), z.null()]))
  .refine((value) => Object.keys(value).length <= 50, 'must have at most 50 keys')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= 8192, 'must have at most 8 KiB')

const customerDetails = z.strictObject({
  name: text(200).optional(),
  email: z.email().max(320).optional(),
  phone: text(50).optional(),
  reference: text(200).optional(),
})

const creation = {
  business_unit_id: id,
  external_reference: text(200).optional(),
  currency,
  amount: amount.optional(),
  capture: z.boolean().default(false),
  transaction: z
    .strictObject({
      payment_orchestrator_id: id.optional(),
      merchant_id: text(200).optional(),
      transaction_items: z.array(item).min(1).max(200).optional(),
    })
    .default({}),
  customer_details: customerDetails.optional(),
  metadata: metadata.default({}),
}

const paymentDetails = z.strictObject({ payment_method: z.enum(['CREDIT_CARD', 'ACH']), cc_token: text(200) })

const operationType = z.enum(['authorize', 'capture', 'void', 'refund'])
/** `unknown` longer than 24 h is shown as `needs_review`: the provider does not tell, so somebody must find out. */
const operationState = z.enum([
  'in_progress',
  'succeeded',
  'declined',
  'pending',
  'not_attempted',
  'unknown',
  'needs_review',
])

const operation = z.object({
  id: uuid,
  type: operationType,
  state: operationState,
  amount: zeroOrMore,
  reason: z.string().nullable(),
  provider_reference: z.string().nullable(),
  error: z
    .object({
      code: z.string(),
      decline_code: z.string().nullable(),
      retryable: z.boolean(),
      provider_code: z.string().nullable(),
    })
    .nullable(),
  /** Set where the operation is one of the two steps of an authorize-and-capture. */
  stage: z.enum(['authorize', 'capture']).nullable(),
  attempt_count: z.int(),
  created_at: instant,
  completed_at: instant.nullable(),
})

export type Operation = z.input<typeof operation>

const status = z.enum([
  'pending',
  'failed',
  'authorized',
  'partially_captured',
  'captured',
  'voided',
  'partially_refunded',
  'refunded',
])

const transaction = z.object({
  id: uuid,
  object: z.literal('transaction'),
  business_unit_id: uuid,
  payment_orchestrator_id: uuid.nullable(),
  external_reference: z.string().nullable(),
  status,
  currency: z.string(),
  amount: zeroOrMore,
  amount_authorized: zeroOrMore,
  amount_captured: zeroOrMore,
  amount_refunded: zeroOrMore,
  amount_voided: zeroOrMore,
  amount_capturable: zeroOrMore,
  amount_refundable: zeroOrMore,
  capture: z.boolean(),
  i2p: z.boolean(),
  payment_method: z.object({ type: z.string(), brand: z.string(), last4: z.string() }).nullable(),
  authorization_expires_at: instant.nullable(),
  /** The operation in flight or unresolved, if there is one. */
  pending_operation: z.object({ id: uuid, type: operationType, state: operationState }).nullable(),
  last_error: z.object({ code: z.string(), decline_code: z.string().nullable(), operation_id: uuid }).nullable(),
  transaction_items: z.array(item),
  customer_details: z.record(z.string(), z.unknown()).nullable(),
  metadata: z.record(z.string(), z.unknown()),
  /** Grows with each change: of two events, the one with the higher version is the later. */
  version: z.int(),
  created_at: instant,
  updated_at: instant,
  operations: z.array(operation),
})

export type Transaction = z.input<typeof transaction>

const params = z.strictObject({ transaction_id: id })
const { operations: _, ...snapshotShape } = transaction.shape
const moved = { 200: transaction, 202: transaction }

const payload = z.object({ transaction: z.object(snapshotShape), operation: operation.nullable(), version: z.int() })
const happened = (description: string) => ({ description, scope: 'business_unit' as const, payload })

const moves = [
  'transaction_not_found',
  'invalid_transaction_state',
  'operation_in_progress',
  'payment_declined',
  'provider_unreachable',
] as const

export const paymentProxy = contract({
  service: 'payment-proxy',
  problems,
  endpoints: {
    createTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions',
      audience: 'tenant',
      permission: 'transaction:CreateTransaction',
      summary: 'Create a transaction. Nothing is charged yet.',
      body: z.strictObject(creation),
      replies: { 201: transaction },
      problems: ['amount_mismatch', 'external_reference_taken', 'payment_orchestrator_unusable'],
      idempotent: true,
    },
    createAndAuthorizeTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/authorize',
      audience: 'tenant',
      permission: 'transaction:AuthorizeTransaction',
      summary: 'Create a transaction and authorize it; with `capture`, capture it too (needs CaptureTransaction).',
      body: z.strictObject({ ...creation, payment_details: paymentDetails }),
      replies: { 201: transaction, 202: transaction },
      problems: [
        'amount_mismatch',
        'external_reference_taken',
        'payment_orchestrator_unusable',
        'unknown_payment_token',
        'invalid_transaction_state',
        'operation_in_progress',
        'payment_declined',
        'provider_unreachable',
      ],
      idempotent: true,
    },
    listTransactions: {
      method: 'GET',
      path: '/v1/payment-proxy/transactions',
      audience: 'tenant',
      permission: 'transaction:ReadTransaction',
      summary: 'List transactions.',
      query: pageQuery.extend({ business_unit_id: id.optional(), external_reference: text(200).optional() }),
      replies: { 200: page(transaction) },
    },
    readTransaction: {
      method: 'GET',
      path: '/v1/payment-proxy/transactions/{transaction_id}',
      audience: 'tenant',
      permission: 'transaction:ReadTransaction',
      summary: 'Read a transaction with its operations.',
      params,
      replies: { 200: transaction },
      problems: ['transaction_not_found'],
    },
    listOperations: {
      method: 'GET',
      path: '/v1/payment-proxy/transactions/{transaction_id}/operations',
      audience: 'tenant',
      permission: 'transaction:ReadTransaction',
      summary: 'List the operations of a transaction.',
      params,
      query: pageQuery,
      replies: { 200: page(operation) },
      problems: ['transaction_not_found'],
    },
    completeTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/complete',
      audience: 'tenant',
      permission: 'transaction:AuthorizeTransaction',
      summary: 'Authorize a created transaction; with `capture`, capture it too (needs CaptureTransaction).',
      params,
      body: z.strictObject({ payment_details: paymentDetails, capture: z.boolean().optional() }),
      replies: moved,
      problems: [...moves, 'unknown_payment_token'],
      idempotent: true,
    },
    captureTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/capture',
      audience: 'tenant',
      permission: 'transaction:CaptureTransaction',
      summary: 'Capture what is authorized, or a part of it; `final_capture` releases the rest.',
      params,
      body: z
        .strictObject({ amount: amount.optional(), final_capture: z.boolean().default(false) })
        .default({ final_capture: false }),
      replies: moved,
      problems: [...moves, 'amount_exceeds_capturable'],
      idempotent: true,
    },
    voidTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/void',
      audience: 'tenant',
      permission: 'transaction:VoidTransaction',
      summary: 'Release what is authorized and not captured.',
      params,
      body: z.strictObject({ reason: text(500).optional() }).default({}),
      replies: moved,
      problems: moves,
      idempotent: true,
    },
    refundTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/refund',
      audience: 'tenant',
      permission: 'transaction:RefundTransaction',
      summary: 'Give back what was captured, or a part of it.',
      params,
      body: z
        .strictObject({
          amount: amount.optional(),
          items: z
            .array(z.strictObject({ id: text(100), quantity: z.int().min(1).max(1_000_000) }))
            .min(1)
            .max(200)
            .optional(),
          reason: text(500).optional(),
        })
        .default({}),
      replies: moved,
      problems: [...moves, 'amount_exceeds_refundable', 'amount_mismatch', 'unknown_transaction_item'],
      idempotent: true,
    },
    syncTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/sync',
      audience: 'tenant',
      permission: 'transaction:ReadTransaction',
      summary: 'Ask the provider for the outcome of an operation that is pending or unknown.',
      params,
      replies: moved,
      problems: ['transaction_not_found'],
    },
  },
  events: {
    'payment-proxy.transactions.create': happened('A transaction was created.'),
    'payment-proxy.transactions.authorize': happened('A transaction was authorized.'),
    'payment-proxy.transactions.authorize.failed': happened('An authorization was declined or could not be sent.'),
    'payment-proxy.transactions.authorize.and.capture': happened(
      'A transaction was authorized and captured in one step.',
    ),
    'payment-proxy.transactions.authorize.and.capture.failed': happened(
      'An authorization with capture failed; `operation.stage` says at which step.',
    ),
    'payment-proxy.transactions.capture': happened('A transaction, or a part of it, was captured.'),
    'payment-proxy.transactions.capture.failed': happened('A capture was declined or could not be sent.'),
    'payment-proxy.transactions.void': happened('An authorization was released.'),
    'payment-proxy.transactions.void.failed': happened('A void was declined or could not be sent.'),
    'payment-proxy.transactions.refund': happened('A transaction, or a part of it, was refunded.'),
    'payment-proxy.transactions.refund.failed': happened('A refund was declined or could not be sent.'),
  },
})
