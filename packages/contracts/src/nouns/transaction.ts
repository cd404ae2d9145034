import { z } from 'zod'
import { currencyCode } from '../grammar/currency.ts'
import { emailAddress } from '../grammar/email-address.ts'
import { id, instant, prose, text, uuid } from '../grammar/field.ts'
import { nameText, referenceText } from '../grammar/name.ts'
import { invitation, returnUrl } from './invitation.ts'
import { locale } from './locale.ts'

/** The schemas of transactions and operations. */

export const amountMax = 999_999_999_999

/** Minor units of the currency: 1999 is 19.99 EUR, 1999 JPY, 1.999 KWD. */
export const amount = z.int().min(1).max(amountMax)
const zeroOrMore = z.int().min(0).max(amountMax)
export const minorUnits = 'in minor units of the currency'

const item = z
  .strictObject({
    id: referenceText(100)
      .optional()
      .describe('Identifier of the item within the transaction. Refunds by item use it.'),
    name: nameText(200).describe('Name of the item.'),
    unit_amount: zeroOrMore.describe(`Price of one unit, ${minorUnits}.`),
    quantity: z.int().min(1).max(1_000_000).describe('Number of units.'),
  })
  .meta({ id: 'TransactionItem', description: 'A line of the order.' })

const metadata = z
  .record(text(100), z.union([prose(1000), z.number(), z.boolean(), z.null()]))
  .refine((value) => Object.keys(value).length <= 50, 'must have at most 50 keys')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= 8192, 'must have at most 8 KiB')
  .meta({ description: 'Up to 50 keys of your own, at most 8 KiB in all. Returned as sent.', maxProperties: 50 })

const customerDetails = z
  .strictObject({
    name: nameText(200).optional().describe('Name of the customer.'),
    email: emailAddress.optional().describe('Email address of the customer.'),
    phone: nameText(50).optional().describe('Phone number of the customer.'),
    reference: referenceText(200).optional().describe('Your identifier of the customer.'),
  })
  .meta({ id: 'CustomerDetails', description: 'The customer who pays.' })

const transactionInput = z
  .strictObject({
    payment_orchestrator_id: id
      .optional()
      .describe('Payment orchestrator to use. Default: the default one of the business unit.'),
    merchant_id: referenceText(200).optional().describe('Identifier of the merchant at the payment provider.'),
    transaction_items: z.array(item).min(1).max(200).optional().describe('Items of the order.'),
  })
  .default({})
  .describe('Payment orchestrator and items.')

export const creation = {
  business_unit_id: id.describe('Business unit that receives the payment.'),
  external_reference: referenceText(200)
    .optional()
    .describe(
      'Your reference. Unique within the business unit, in Unicode normalization form C and without blanks around it, except for transactions voided before an authorization.',
    ),
  currency: currencyCode.optional().describe('Currency. Default: that of the business unit.'),
  amount: amount
    .optional()
    .describe(`Amount to pay, ${minorUnits}. May be left out when the items give it; must equal their sum otherwise.`),
  capture: z.boolean().default(false).describe('Whether the authorization is captured in the same step.'),
  locale: locale.optional().describe('Language of the customer, for pages and messages. Default: none.'),
  transaction: transactionInput,
  customer_details: customerDetails.optional(),
  metadata: metadata.default({}),
}

const paymentMethodName = z.enum(['CREDIT_CARD', 'ACH']).meta({ id: 'PaymentMethod' })

export const paymentDetails = z
  .strictObject({
    payment_method: paymentMethodName.describe('Kind of payment method.'),
    cc_token: text(200).describe('Token of the payment method, from the tokenizer of the payment orchestrator.'),
  })
  .meta({ id: 'PaymentDetails', description: 'The payment method, as a token. Card numbers are rejected.' })

/** Of a request that authorizes. */
export const confirmationReturnUrl = returnUrl
  .meta({ examples: ['https://shop.example.com/orders/4711'] })
  .optional()
  .describe(
    'Page that the payer returns to after a confirmation at their bank. Without it, a payment that needs a confirmation is declined with `authentication_required`.',
  )

export const operationType = z.enum(['authorize', 'capture', 'void', 'refund']).meta({ id: 'OperationType' })
/** States of an operation whose outcome is open. */
export const openStates = ['in_progress', 'action_required', 'pending', 'unknown', 'needs_review'] as const
export const operationState = z
  .enum([
    'in_progress',
    'action_required',
    'succeeded',
    'declined',
    'pending',
    'not_attempted',
    'unknown',
    'needs_review',
    'reversed',
  ])
  .meta({ id: 'OperationState' })
const stateText =
  'State of the operation. `action_required` waits for the payer to confirm at their bank. `pending` and `unknown` are resolved later; `needs_review` has been unknown for 24 hours, or pending without a report of the payment provider for 24 hours. A `reversed` refund had succeeded, and the payment provider failed it later.'

/** The action of a payer that an operation waits for. */
const paymentAction = z
  .object({
    type: z.literal('redirect').describe('`redirect`: the payer opens `url` as a page of its own, not in a frame.'),
    url: z.string().describe("Page of the payer's bank or of the payment provider."),
    expires_at: instant.describe('From then on, the payment is canceled at the payment provider.'),
  })
  .meta({ id: 'PaymentAction', description: 'The action of the payer before the outcome can become known.' })

export type PaymentAction = z.output<typeof paymentAction>

export const authenticationResults = ['authenticated', 'attempted', 'exempted', 'failed', 'unavailable'] as const

const authentication = z
  .object({
    version: z.string().nullable().describe('Version of 3-D Secure, such as `2.2.0`. Null where not reported.'),
    result: z
      .enum(authenticationResults)
      .describe(
        'Result. `attempted`: the bank does not take part. `exempted`: no confirmation was needed. `unavailable`: it could not be tried.',
      ),
    eci: z.string().nullable().describe('Electronic Commerce Indicator. Null where not reported.'),
    transaction_id: z
      .string()
      .nullable()
      .describe('Identifier of the authentication at the directory server. Null where not reported.'),
  })
  .meta({ id: 'PaymentAuthentication', description: 'Authentication of the payer by their bank, as disputes need it.' })

export type PaymentAuthentication = z.output<typeof authentication>

export const resolvedOutcome = z
  .enum(['succeeded', 'declined', 'not_attempted'])
  .describe('Outcome at the payment provider: `not_attempted` means that the operation had no effect.')

const resolution = z
  .object({
    outcome: resolvedOutcome,
    note: z.string().describe('Why.'),
    resolved_by: z.string().describe('Author of the resolution: `api_key:` or `user:` and an identifier.'),
    resolved_at: instant.describe('When.'),
  })
  .meta({ id: 'Resolution', description: 'The decision of a person about an operation with an unknown outcome.' })

const operationActor = z
  .object({
    type: z
      .enum(['api_key', 'user', 'payer', 'platform'])
      .describe('`payer`: by an invitation to pay. `platform`: it released an expired authorization.'),
    id: z
      .string()
      .nullable()
      .describe(
        'Identifier of the API key or user. Of a user it is the subject of their token, which any text may be. Null for the payer and the platform.',
      ),
  })
  .meta({ id: 'OperationActor', description: 'The API key, user or process that started an operation.' })

export const operation = z
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
    open_reason: z.string().nullable().describe('Why the outcome is not known yet, as text. Null otherwise.'),
    authentication: authentication
      .nullable()
      .describe('Authentication of the payer, where the payment provider reports it. Null otherwise.'),
    resolution: resolution.nullable().describe('Resolution by a person. Null otherwise.'),
    stage: z
      .enum(['authorize', 'capture'])
      .nullable()
      .describe('Step of an authorize-and-capture that this operation is. Null otherwise.'),
    attempt_count: z
      .int()
      .describe('Number of attempts started: to send the operation to the payment provider, or to read its outcome.'),
    trace_id: uuid.describe('Trace-ID of the request that started it.'),
    actor: operationActor.describe('Cause of the operation.'),
    created_at: instant.describe('When the operation began.'),
    completed_at: instant.nullable().describe('When the outcome became known.'),
  })
  .meta({ id: 'Operation', description: 'One step of a transaction at the payment provider.' })

export type Operation = z.input<typeof operation>

export const status = z
  .enum([
    'pending',
    'failed',
    'authorized',
    'partially_captured',
    'captured',
    'voided',
    'partially_refunded',
    'refunded',
  ])
  .meta({ id: 'TransactionStatus' })

const paymentMethod = z.object({
  type: z.string().describe('Kind of payment method.'),
  brand: z.string().describe('Card brand.'),
  last4: z.string().describe('Last four digits.'),
})

const pendingOperation = z.object({
  id: uuid.describe('Identifier of the operation.'),
  type: operationType.describe('Kind of operation.'),
  state: operationState.describe(stateText),
  action: paymentAction
    .nullable()
    .describe(
      'In the state `action_required`: the action. Null otherwise, and for a payment by link, whose page leads the payer.',
    ),
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
  payment_orchestrator_id: uuid.describe('Payment orchestrator in use.'),
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
  locale: z.string().nullable().describe('Language of the customer, as sent. Null for none.'),
  invitation: invitation.nullable().describe('The invitation as requested with the transaction. Null otherwise.'),
  payment_method: paymentMethod.nullable().describe('Payment method of the latest authorization.'),
  authorization_expires_at: instant.nullable().describe('When the authorization expires and is released.'),
  pending_operation: pendingOperation.nullable().describe('The operation whose outcome is not known yet.'),
  last_error: lastError.nullable().describe('The latest failure.'),
  transaction_items: z.array(item).describe('Items of the order.'),
  customer_details: z.record(z.string(), z.unknown()).nullable().describe('The customer who pays.'),
  metadata: z.record(z.string(), z.unknown()).describe('Your own keys, as sent.'),
  version: z
    .int()
    .describe(
      'Grows with each change, but not where only time passes (`needs_review`, the end of the time of the payer). Of two events, the one with the higher version is the later.',
    ),
  created_at: instant.describe('When the transaction was created.'),
  updated_at: instant.describe('When the transaction last changed.'),
}

const snapshot = z
  .object(snapshotShape)
  .meta({ id: 'TransactionSnapshot', description: 'A transaction without its operations.' })

export const transaction = z
  .object({ ...snapshotShape, operations: z.array(operation).describe('All operations, oldest first.') })
  .meta({ id: 'Transaction', description: 'A payment and all its operations.' })

export type Transaction = z.input<typeof transaction>

/** The reply of an operation whose permission does not read transactions. */
export const partlyShownTransaction = z
  .object({
    ...transaction.shape,
    missing_permission: z
      .literal('transaction:ReadTransaction')
      .nullable()
      .describe(
        'Permission that the caller lacks. Without it, the customer, the invitation, items, references, metadata, errors and operations are null or empty. Null: everything is shown.',
      ),
  })
  .meta({ id: 'PartlyShownTransaction', description: 'A payment, with what the permissions of the caller read.' })

export type PartlyShownTransaction = z.input<typeof partlyShownTransaction>

export const sandboxOperation = z
  .object({
    id: uuid.describe('Identifier of the operation.'),
    type: operationType.describe('Kind of operation.'),
    state: z
      .enum(['succeeded', 'declined', 'pending', 'action_required', 'never_received'])
      .describe('`never_received`: a sync arrived before the operation, which is rejected from then on.'),
    amount: z.int().min(0).describe(`Amount of the operation, ${minorUnits}.`),
    amount_released: zeroOrMore.describe(`Amount that a final capture released, ${minorUnits}.`),
    currency: z.string().describe('ISO 4217 code of the currency.'),
    authorization_id: uuid.describe('Operation that authorized the payment.'),
    decline_code: z.string().nullable().describe('Reason of a decline.'),
    received_at: instant.describe('When the sandbox received the operation.'),
  })
  .meta({ id: 'SandboxOperation', description: 'An operation in the ledger of the sandbox.' })

export type SandboxOperation = z.input<typeof sandboxOperation>

export const payload = z
  .object({
    transaction: snapshot,
    operation: operation.nullable().describe('The operation that the event is about. Null for a creation.'),
    version: z.int().describe('The version of the transaction.'),
  })
  .meta({ id: 'TransactionEvent', description: 'Payload of transaction events.' })
