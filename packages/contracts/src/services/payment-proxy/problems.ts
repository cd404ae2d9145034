import { z } from 'zod'
import { uuid } from '../../grammar/field.ts'
import { defineProblems } from '../../grammar/problem.ts'

/** Problems of operations, with the members that programs read. */

const minorUnits = 'in minor units of the currency'

/** Of an operation that ended without success. */
const failedOperation = z.object({
  transaction_id: uuid.describe('Transaction of the operation. It remains.'),
  operation_id: uuid.describe('Operation that failed.'),
  decline_code: z.string().nullable().describe('Reason of the decline. Null where the provider gave none.'),
  retryable: z.boolean().describe('Whether the same payment method may succeed later.'),
  provider_code: z.string().nullable().describe("The payment provider's own code. Null where it gave none."),
  stage: z
    .enum(['authorize', 'capture'])
    .optional()
    .describe('Step of an authorization with capture that failed. Absent for other operations.'),
})

const left = z.int().min(0)

/** Operations of a transaction that were sent, failed ones included. A transaction is read whole, with all of them. */
export const operationsMax = { payments: 100, refunds: 100, voids: 50 } as const

/** Maximum completions with another token after a declined authorization. */
export const completionsMax = 10

export const paymentProblems = defineProblems({
  payment_declined: {
    status: 402,
    title: 'Payment declined',
    explanation:
      '`decline_code` gives the reason. `retryable` says whether the same payment method may succeed later. The transaction remains. After a declined authorization, complete it with another token. With the `stage` `capture`, it is authorized: capture or void it. `authentication_required`: send `return_url`, so that the payer can confirm at their bank.',
    members: failedOperation,
  },
  provider_unreachable: {
    status: 502,
    title: 'The payment provider could not be reached',
    explanation:
      'With the `stage` `capture`, the transaction is authorized, and the same Idempotency-Key gets this response: capture or void the transaction. Otherwise nothing was attempted at the provider: send the request again with the same Idempotency-Key, after `Retry-After` where it is given, or complete the transaction of an authorization. Without a key, a repeated creation is another transaction.',
    members: failedOperation,
  },
  invalid_transaction_state: {
    status: 409,
    title: 'The state of the transaction does not allow this action',
    explanation: '`allowed_actions` lists the actions that the transaction allows now.',
    members: z.object({
      allowed_actions: z
        .array(z.enum(['complete', 'capture', 'void', 'refund']))
        .describe('Actions that the transaction allows now.'),
    }),
  },
  operation_in_progress: {
    status: 409,
    title: 'Another operation on this transaction is in progress',
    explanation:
      'One operation at a time changes a transaction. Read the transaction, or send the request again after `Retry-After`. An authorization in the state `action_required` waits for the payer, at most until `pending_operation.action.expires_at`; a void cancels it.',
    retryAfter: true,
  },
  too_many_operations: {
    status: 422,
    title: 'The transaction has too many operations',
    explanation: `A transaction has at most ${operationsMax.payments} authorizations and captures, ${operationsMax.refunds} refunds and ${operationsMax.voids} voids, failed ones included, without those that were not sent to the provider. Above it, capture, refund or void all that is left, once a day while that fails. The items of its refunds have at most 256 KiB as JSON: refund by \`amount\` instead.`,
  },
  amount_exceeds_capturable: {
    status: 422,
    title: 'The amount exceeds the capturable amount',
    explanation: '`amount_capturable` gives the amount that can still be captured. `errors` names the field.',
    members: z.object({ amount_capturable: left.describe(`Amount that can still be captured, ${minorUnits}.`) }),
  },
  amount_exceeds_refundable: {
    status: 422,
    title: 'The amount exceeds the refundable amount',
    explanation: '`amount_refundable` gives the amount that can still be refunded. `errors` names the field.',
    members: z.object({ amount_refundable: left.describe(`Amount that can still be refunded, ${minorUnits}.`) }),
  },
})

/** Of each operation on a transaction. */
export const operationProblems = [
  'transaction_not_found',
  'invalid_transaction_state',
  'operation_in_progress',
  'too_many_operations',
  'payment_declined',
  'provider_unreachable',
] as const

/** Of an authorization, besides. */
export const authorizationProblems = [
  'business_unit_not_found',
  'business_unit_deleted',
  'payment_orchestrator_unusable',
  'test_mode_not_allowed',
  'unknown_payment_token',
] as const

/** Of the creation of a transaction. */
export const creationProblems = [
  'business_unit_not_found',
  'business_unit_deleted',
  'payment_orchestrator_unusable',
  'test_mode_not_allowed',
  'amount_mismatch',
  'external_reference_taken',
] as const
