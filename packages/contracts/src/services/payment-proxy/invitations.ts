import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { currencyCode } from '../../grammar/currency.ts'
import { id, instantInput, tenantParams } from '../../grammar/field.ts'
import { internalRoute } from '../../grammar/route.ts'
import { invitationInput } from '../../nouns/invitation.ts'
import { amount, creation, paymentDetails, transaction } from '../../nouns/transaction.ts'
import { authorizationProblems, creationProblems } from './problems.ts'

/** The endpoints of transactions that invite-to-pay calls. */

const params = tenantParams.extend({ transaction_id: id })
const paymentParams = params.extend({ payment_id: id })
const transactionPath = '/internal/tenants/{tenant_id}/transactions/{transaction_id}'

export const invitedTransactionEndpoints = {
  createInvitedTransaction: {
    ...internalRoute('POST', '/internal/tenants/{tenant_id}/invited-transactions', 'invite-to-pay'),
    summary: 'Create a transaction with an invitation, once per `transaction_id`.',
    params: tenantParams,
    body: z.strictObject({
      transaction_id: id.describe('Identifier of the transaction. A repeated call changes nothing.'),
      transaction: z.strictObject(creation),
      invitation: invitationInput,
    }),
    replies: { 200: transaction },
    problems: [...creationProblems, 'invalid_request'],
  },
  inviteToPay: {
    ...internalRoute('POST', `${transactionPath}/invitation`, 'invite-to-pay'),
    summary: 'Mark an existing transaction as paid by invitation. A repeated call changes nothing.',
    params,
    replies: { 200: transaction },
    problems: [
      'business_unit_not_found',
      'payment_orchestrator_unusable',
      'test_mode_not_allowed',
      'transaction_not_found',
      'transaction_not_payable',
    ],
  },
  findTransaction: {
    ...internalRoute('GET', transactionPath, 'invite-to-pay'),
    summary: 'Read a transaction with its operations, after each payment that began to start before.',
    params,
    replies: { 200: transaction },
    problems: ['transaction_not_found'],
  },
  payInvitation: {
    ...internalRoute('POST', `${transactionPath}/payments`, 'invite-to-pay'),
    summary: 'Authorize an invited transaction, once per `payment_id`, and read the outcome.',
    params,
    body: z.strictObject({
      payment_id: id.describe('Identifier of the authorization. A repeated call gets its outcome.'),
      start_before: instantInput.describe('From this instant on, the payment is not started.'),
      amount: amount.describe('Amount that the payer saw.'),
      currency: currencyCode.describe('Currency that the payer saw.'),
      capture: z.boolean(),
      payment_details: paymentDetails,
      return_url: z
        .url()
        .max(2_048)
        .optional()
        .describe('Page of the platform that the payer returns to from their bank.'),
    }),
    /** The operation `payment_id` has the outcome. */
    replies: { 200: transaction },
    problems: [
      'transaction_not_found',
      'payment_not_started',
      'invalid_transaction_state',
      'operation_in_progress',
      'too_many_operations',
      ...authorizationProblems,
      'rate_limited',
    ],
  },
  syncInvitedPayment: {
    ...internalRoute('POST', `${transactionPath}/payments/{payment_id}/sync`, 'invite-to-pay'),
    summary: 'Query the payment provider for the outcome of a payment, and read the transaction.',
    params: paymentParams,
    replies: { 200: transaction },
    problems: ['transaction_not_found', 'operation_not_found', 'rate_limited'],
  },
  cancelInvitedPayment: {
    ...internalRoute('POST', `${transactionPath}/payments/{payment_id}/cancel`, 'invite-to-pay'),
    summary: 'Cancel a payment that waits for the payer at the payment provider, and read the transaction.',
    description: 'The outcome decides: a payment that the payer has confirmed is a payment.',
    params: paymentParams,
    replies: { 200: transaction },
    problems: ['transaction_not_found', 'operation_not_found', 'operation_in_progress', 'rate_limited'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
