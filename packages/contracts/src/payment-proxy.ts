import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, prose, text, uuid } from './field.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  transaction_not_found: {
    status: 404,
    title: 'Transaction not found',
    explanation: 'The tenant has no transaction with this id.',
  },
  amount_mismatch: {
    status: 400,
    title: 'The amount is not the sum of the items',
    explanation: '`amount` must equal the sum of `unit_amount` × `quantity` over the items, in minor units.',
  },
  payment_declined: {
    status: 402,
    title: 'Payment declined',
    explanation:
      '`decline_code` gives the reason. `retryable` says whether the same payment method may succeed later. The transaction remains and can be completed with another token.',
  },
  invalid_transaction_state: {
    status: 409,
    title: 'The state of the transaction does not allow this action',
    explanation: '`allowed_actions` lists the actions that the transaction allows now.',
  },
  operation_in_progress: {
    status: 409,
    title: 'Another operation on this transaction is in progress',
    explanation:
      'One operation at a time changes a transaction. Read the transaction, or send the request again after `Retry-After`.',
  },
  external_reference_taken: {
    status: 409,
    title: 'External reference already in use',
    explanation: 'Another transaction of the business unit has this `external_reference`.',
  },
  amount_exceeds_capturable: {
    status: 422,
    title: 'The amount exceeds the capturable amount',
    explanation: '`amount_capturable` gives the amount that can still be captured.',
  },
  amount_exceeds_refundable: {
    status: 422,
    title: 'The amount exceeds the refundable amount',
    explanation: '`amount_refundable` gives the amount that can still be refunded.',
  },
  unknown_transaction_item: {
    status: 422,
    title: 'Unknown transaction item',
    explanation:
      '`errors` names each item that the transaction does not have, or of which fewer remain than the request refunds.',
  },
  payment_orchestrator_unusable: {
    status: 422,
    title: 'The payment orchestrator cannot be used',
    explanation: 'The payment orchestrator is unknown, inactive, or belongs to another business unit.',
  },
  unknown_payment_token: {
    status: 422,
    title: 'Unknown payment token',
    explanation: 'The payment orchestrator does not know `cc_token`. The sandbox knows the `tok_sandbox_…` tokens.',
  },
  provider_unreachable: {
    status: 502,
    title: 'The payment provider could not be reached',
    explanation: 'Nothing was attempted at the provider. The request can safely be sent again.',
  },
})

export const amountMax = 999_999_999_999

/** Minor units of the currency: 1999 is 19.99 EUR, 1999 JPY, 1.999 KWD. */
const amount = z.int().min(1).max(amountMax)
const zeroOrMore = z.int().min(0).max(amountMax)
const minorUnits = 'in minor units of the currency'

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, for example EUR')
  .meta({ description: 'ISO 4217 code of the currency.', examples: ['EUR', 'USD', 'JPY', 'KWD'] })

const item = z
  .strictObject({
    id: text(100).optional().describe('Identifier of the item within the transaction. Refunds by item use it.'),
    name: text(200).describe('Name of the item.'),
    unit_amount: zeroOrMore.describe(`Price of one unit, ${minorUnits}.`),
    quantity: z.int().min(1).max(1_000_000).describe('Number of units.'),
  })
  .meta({ id: 'TransactionItem', description: 'A line of the order.' })

const metadata = z
  .record(text(100), z.union([prose(1000), z.number(), z.boolean(), z.null()]))
  .refine((value) => Object.keys(value).length <= 50, 'must have at most 50 keys')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= 8192, 'must have at most 8 KiB')
  .describe('Up to 50 keys of your own, at most 8 KiB in all. Returned as sent.')

const customerDetails = z
  .strictObject({
    name: text(200).optional().describe('Name of the customer.'),
    email: z.email().max(320).optional().describe('Email address of the customer.'),
    phone: text(50).optional().describe('Phone number of the customer.'),
    reference: text(200).optional().describe('Your identifier of the customer.'),
  })
  .meta({ id: 'CustomerDetails', description: 'The customer who pays.' })

const transactionInput = z
  .strictObject({
    payment_orchestrator_id: id
      .optional()
      .describe('Payment orchestrator to use. Default: the default one of the business unit.'),
    merchant_id: text(200).optional().describe('Identifier of the merchant at the payment provider.'),
    transaction_items: z.array(item).min(1).max(200).optional().describe('Items of the order.'),
  })
  .default({})
  .describe('Payment orchestrator and items.')

const creation = {
  business_unit_id: id.describe('Business unit that receives the payment.'),
  external_reference: text(200).optional().describe('Your reference. Unique within the business unit.'),
  currency,
  amount: amount
    .optional()
    .describe(`Amount to pay, ${minorUnits}. May be left out when the items give it; must equal their sum otherwise.`),
  capture: z.boolean().default(false).describe('Whether the authorization is captured in the same step.'),
  transaction: transactionInput,
  customer_details: customerDetails.optional(),
  metadata: metadata.default({}),
}

const paymentDetails = z
  .strictObject({
    payment_method: z.enum(['CREDIT_CARD', 'ACH']).describe('Kind of payment method.'),
    cc_token: text(200).describe('Token of the payment method, from the tokenizer of the payment orchestrator.'),
  })
  .meta({ id: 'PaymentDetails', description: 'The payment method, as a token. Card numbers are rejected.' })

const operationType = z.enum(['authorize', 'capture', 'void', 'refund'])
const operationState = z.enum([
  'in_progress',
  'succeeded',
  'declined',
  'pending',
  'not_attempted',
  'unknown',
  'needs_review',
])
const stateText =
  'State of the operation. `pending` and `unknown` are resolved later; `needs_review` has been unknown for 24 hours.'

const operation = z
  .object({
    id: uuid.describe('Identifier of the operation.'),
    type: operationType.describe('Kind of operation.'),
    state: operationState.describe(stateText),
    amount: zeroOrMore.describe(`Amount of the operation, ${minorUnits}.`),
    reason: z.string().nullable().describe('Reason that the caller gave, or `authorization_expired`.'),
    provider_reference: z.string().nullable().describe('Identifier of the operation at the payment provider.'),
    error: z
      .object({
        code: z.string().describe('Problem code of the failure.'),
        decline_code: z.string().nullable().describe('Reason of a decline.'),
        retryable: z.boolean().describe('Whether the same payment method may succeed later.'),
        provider_code: z.string().nullable().describe("The payment provider's own code."),
      })
      .nullable()
      .describe('Why the operation failed. Null while it has not failed.'),
    stage: z
      .enum(['authorize', 'capture'])
      .nullable()
      .describe('Step of an authorize-and-capture that this operation is. Null otherwise.'),
    attempt_count: z.int().describe('Number of requests sent to the payment provider.'),
    created_at: instant.describe('When the operation began.'),
    completed_at: instant.nullable().describe('When the outcome became known.'),
  })
  .meta({ id: 'Operation', description: 'One step of a transaction at the payment provider.' })

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

const paymentMethod = z.object({
  type: z.string().describe('Kind of payment method.'),
  brand: z.string().describe('Card brand.'),
  last4: z.string().describe('Last four digits.'),
})

const pendingOperation = z.object({
  id: uuid.describe('Identifier of the operation.'),
  type: operationType.describe('Kind of operation.'),
  state: operationState.describe(stateText),
})

const lastError = z.object({
  code: z.string().describe('Problem code of the failure.'),
  decline_code: z.string().nullable().describe('Reason of a decline.'),
  operation_id: uuid.describe('Operation that failed.'),
})

const snapshotShape = {
  id: uuid.describe('Identifier of the transaction.'),
  object: z.literal('transaction').describe('Always `transaction`.'),
  business_unit_id: uuid.describe('Business unit that receives the payment.'),
  payment_orchestrator_id: uuid.nullable().describe('Payment orchestrator in use.'),
  external_reference: z.string().nullable().describe('Your reference.'),
  status: status.describe('Status, derived from the operations that succeeded.'),
  currency: z.string().describe('ISO 4217 code of the currency.'),
  amount: zeroOrMore.describe(`Amount to pay, ${minorUnits}.`),
  amount_authorized: zeroOrMore.describe(`Amount authorized, ${minorUnits}.`),
  amount_captured: zeroOrMore.describe(`Amount captured, ${minorUnits}.`),
  amount_refunded: zeroOrMore.describe(`Amount refunded, ${minorUnits}.`),
  amount_voided: zeroOrMore.describe(`Amount released without capture, ${minorUnits}.`),
  amount_capturable: zeroOrMore.describe(`Amount that can still be captured, ${minorUnits}.`),
  amount_refundable: zeroOrMore.describe(`Amount that can still be refunded, ${minorUnits}.`),
  capture: z.boolean().describe('Whether the authorization is captured in the same step.'),
  i2p: z.boolean().describe('Whether the transaction is paid through an invitation to pay.'),
  payment_method: paymentMethod.nullable().describe('Payment method of the latest authorization.'),
  authorization_expires_at: instant.nullable().describe('When the authorization expires and is released.'),
  pending_operation: pendingOperation.nullable().describe('The operation whose outcome is not known yet.'),
  last_error: lastError.nullable().describe('The latest failure.'),
  transaction_items: z.array(item).describe('Items of the order.'),
  customer_details: z.record(z.string(), z.unknown()).nullable().describe('The customer who pays.'),
  metadata: z.record(z.string(), z.unknown()).describe('Your own keys, as sent.'),
  version: z.int().describe('Grows with each change. Of two events, the one with the higher version is the later.'),
  created_at: instant.describe('When the transaction was created.'),
  updated_at: instant.describe('When the transaction last changed.'),
}

const snapshot = z
  .object(snapshotShape)
  .meta({ id: 'TransactionSnapshot', description: 'A transaction without its operations.' })

const transaction = z
  .object({ ...snapshotShape, operations: z.array(operation).describe('All operations, oldest first.') })
  .meta({ id: 'Transaction', description: 'A payment and all its operations.' })

export type Transaction = z.input<typeof transaction>

const params = z.strictObject({ transaction_id: id.describe('Identifier of the transaction.') })
const moved = { 200: transaction, 202: transaction }

const payload = z
  .object({
    transaction: snapshot,
    operation: operation.nullable().describe('The operation that the event is about. Null for a creation.'),
    version: z.int().describe('The version of the transaction.'),
  })
  .meta({ id: 'TransactionEvent', description: 'Payload of transaction events.' })

const happened = (description: string) => ({ description, scope: 'business_unit' as const, payload })

const moves = [
  'transaction_not_found',
  'invalid_transaction_state',
  'operation_in_progress',
  'payment_declined',
  'provider_unreachable',
] as const

const exampleUnit = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'
const exampleCreation = {
  business_unit_id: exampleUnit,
  external_reference: 'order-4711',
  currency: 'EUR',
  transaction: { transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }] },
}

const listQuery = pageQuery.extend({
  business_unit_id: id.optional().describe('Only transactions of this business unit.'),
  external_reference: text(200).optional().describe('Only the transaction with this reference.'),
})

const refund = z
  .strictObject({
    amount: amount.optional().describe(`Amount to refund, ${minorUnits}. Default: everything that is refundable.`),
    items: z
      .array(
        z.strictObject({
          id: text(100).describe('Identifier of the item.'),
          quantity: z.int().min(1).max(1_000_000).describe('Number of units to refund.'),
        }),
      )
      .min(1)
      .max(200)
      .optional()
      .describe('Items to refund, instead of an amount.'),
    reason: text(500).optional().describe('Reason of the refund.'),
  })
  .default({})

const outcomeText = 'A 202 means that the outcome is not known yet: read the transaction, or wait for the event.'

export const paymentProxy = contract({
  service: 'payment-proxy',
  description: 'Transactions and their operations at payment providers.',
  problems,
  endpoints: {
    createTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions',
      audience: 'tenant',
      permission: 'transaction:CreateTransaction',
      summary: 'Create a transaction without charging it.',
      example: exampleCreation,
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
      summary: 'Create and authorize a transaction.',
      description: `With \`capture\`, the amount is captured too, which requires transaction:CaptureTransaction. ${outcomeText}`,
      example: {
        ...exampleCreation,
        payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
      },
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
      query: listQuery,
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
      summary: 'Authorize a transaction that was created before.',
      description: `With \`capture\`, the amount is captured too, which requires transaction:CaptureTransaction. ${outcomeText}`,
      example: { payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }, capture: true },
      params,
      body: z.strictObject({
        payment_details: paymentDetails,
        capture: z.boolean().optional().describe('Capture in the same step. Default: as set on creation.'),
      }),
      replies: moved,
      problems: [...moves, 'unknown_payment_token'],
      idempotent: true,
    },
    captureTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/capture',
      audience: 'tenant',
      permission: 'transaction:CaptureTransaction',
      summary: 'Capture an authorized amount, or a part of it.',
      description: outcomeText,
      example: { amount: 1999, final_capture: true },
      params,
      body: z
        .strictObject({
          amount: amount.optional().describe(`Amount to capture, ${minorUnits}. Default: everything capturable.`),
          final_capture: z.boolean().default(false).describe('Whether the remaining authorized amount is released.'),
        })
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
      summary: 'Release the authorized amount that has not been captured.',
      description: outcomeText,
      params,
      body: z.strictObject({ reason: text(500).optional().describe('Reason of the void.') }).default({}),
      replies: moved,
      problems: moves,
      idempotent: true,
    },
    refundTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/refund',
      audience: 'tenant',
      permission: 'transaction:RefundTransaction',
      summary: 'Refund a captured amount, or a part of it.',
      description: `The refund is given by amount or by items, not by both. ${outcomeText}`,
      example: { amount: 500, reason: 'One item was damaged' },
      params,
      body: refund,
      replies: moved,
      problems: [...moves, 'amount_exceeds_refundable', 'amount_mismatch', 'unknown_transaction_item'],
      idempotent: true,
    },
    syncTransaction: {
      method: 'POST',
      path: '/v1/payment-proxy/transactions/{transaction_id}/sync',
      audience: 'tenant',
      permission: 'transaction:ReadTransaction',
      summary: 'Query the payment provider for the outcome of a pending or unknown operation.',
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
      'An authorization with capture failed. `operation.stage` names the step.',
    ),
    'payment-proxy.transactions.capture': happened('A transaction was captured, in full or in part.'),
    'payment-proxy.transactions.capture.failed': happened('A capture was declined or could not be sent.'),
    'payment-proxy.transactions.void': happened('An authorization was released.'),
    'payment-proxy.transactions.void.failed': happened('A void was declined or could not be sent.'),
    'payment-proxy.transactions.refund': happened('A transaction was refunded, in full or in part.'),
    'payment-proxy.transactions.refund.failed': happened('A refund was declined or could not be sent.'),
  },
})
