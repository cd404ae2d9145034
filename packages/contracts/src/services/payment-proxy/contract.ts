import { z } from 'zod'
import { statisticsEndpoint, usageEndpoint } from '../../endpoints/hourly-counts.ts'
import { exportEndpoint } from '../../endpoints/payer-export.ts'
import { quarantineEndpoints, queueProblems } from '../../endpoints/quarantine.ts'
import { contract } from '../../grammar/contract.ts'
import { unitEvent } from '../../grammar/event.ts'
import { id, queryInteger, text, windowQuery } from '../../grammar/field.ts'
import { referenceText } from '../../grammar/name.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { publicRoute, tenantRoute } from '../../grammar/route.ts'
import { searchedPageText } from '../../grammar/searched-page.ts'
import { invitationInput } from '../../nouns/invitation.ts'
import { erasureReportEvent } from '../../nouns/payer-erasure.ts'
import {
  amount,
  amountMax,
  confirmationReturnUrl,
  creation,
  minorUnits,
  openStates,
  operation,
  partlyShownTransaction,
  payload,
  paymentDetails,
  resolvedOutcome,
  sandboxOperation,
  status,
  transaction,
} from '../../nouns/transaction.ts'
import { businessUnitProblems, modeProblems, orchestratorProblems } from '../../problems/business-unit.ts'
import { invitationProblems } from '../../problems/invitation.ts'
import { templateProblem } from '../../problems/template.ts'
import { transactionProblems } from '../../problems/transaction.ts'
import { eventExamples } from './examples.ts'
import { invitedTransactionEndpoints } from './invitations.ts'
import { paymentOperatorEndpoints } from './operators.ts'
import { orchestratorEndpoints } from './orchestrators.ts'
import { authorizationProblems, creationProblems, operationProblems, paymentProblems } from './problems.ts'
import { sandboxBankEndpoints } from './sandbox-bank.ts'

export const problems = defineProblems({
  ...queueProblems,
  ...businessUnitProblems,
  ...orchestratorProblems,
  ...modeProblems,
  ...transactionProblems,
  ...paymentProblems,
  operation_not_found: {
    status: 404,
    title: 'Operation not found',
    explanation: 'The transaction has no operation with this id.',
  },
  invalid_provider_webhook: {
    status: 400,
    title: 'The provider webhook is not valid',
    explanation: 'Its signature is not that of the payment provider, or its event cannot be read.',
  },
  operation_not_in_review: {
    status: 409,
    title: 'The operation is not in review',
    explanation: 'Only an operation in the state `needs_review` can be resolved.',
  },
  unknown_transaction_item: {
    status: 422,
    title: 'Unknown transaction item',
    explanation:
      '`errors` names each item that the transaction does not have, or of which fewer remain than the request refunds.',
  },
  payment_not_started: {
    status: 409,
    title: 'The payment was not started',
    explanation: 'The payment came too late, or the amount of the transaction is not the one that the payer saw.',
  },
  ...invitationProblems,
  ...templateProblem,
  unknown_payment_token: {
    status: 422,
    title: 'Unknown payment token',
    explanation: 'The payment orchestrator does not know `cc_token`. The sandbox knows the `tok_sandbox_…` tokens.',
  },
})

const path = '/v1/payment-proxy/transactions'
const onePath = `${path}/{transaction_id}` as const
const params = z.strictObject({ transaction_id: id.describe('Identifier of the transaction.') })
const transactionReplies = { 200: transaction, 202: transaction }

const transactionEvent = (description: string, example: z.input<typeof payload>) =>
  unitEvent(description, payload, example)

const exampleUnit = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'
const exampleCreation = {
  business_unit_id: exampleUnit,
  external_reference: 'order-4711',
  currency: 'EUR',
  transaction: { transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }] },
}

const queryAmount = queryInteger(1, amountMax)

const listQuery = pageQuery.extend({
  status: status.optional().describe('Only transactions with this status.'),
  pending_state: z.enum(openStates).optional().describe('Only transactions with an open operation in this state.'),
  search: referenceText(200)
    .optional()
    .describe('Only transactions whose identifier or reference begins with this text. Case matters in a reference.'),
  business_unit_id: id.optional().describe('Only transactions of this business unit.'),
  external_reference: referenceText(200).optional().describe('Only transactions with this reference.'),
  payment_orchestrator_id: id.optional().describe('Only transactions of this payment orchestrator.'),
  ...windowQuery('created', 'transactions created'),
  amount_min: queryAmount.optional().describe(`Only transactions of this amount or more, ${minorUnits}.`),
  amount_max: queryAmount.optional().describe(`Only transactions of this amount or less, ${minorUnits}.`),
})

const refund = z
  .strictObject({
    amount: amount.optional().describe(`Amount to refund, ${minorUnits}. Default: everything that is refundable.`),
    items: z
      .array(
        z.strictObject({
          id: referenceText(100).describe('Identifier of the item.'),
          quantity: z.int().min(1).max(1_000_000).describe('Number of units to refund.'),
        }),
      )
      .min(1)
      .max(200)
      .optional()
      .describe('Items to refund, instead of an amount.'),
    reason: text(500).optional().describe('Reason of the refund.'),
  })
  .refine(({ amount: given, items }) => given === undefined || items === undefined, {
    path: ['amount'],
    error: 'must not be given with items',
  })
  .default({})

const outcomeText = 'A 202 means that the outcome is not known yet: read the transaction, or wait for the event.'
const actionText =
  'With `return_url`, `pending_operation.action` of a 202 may name a page where the payer confirms the payment.'

export const paymentProxy = contract({
  service: 'payment-proxy',
  description: 'Transactions and their operations at payment providers.',
  problems,
  endpoints: {
    ...quarantineEndpoints,
    readPaymentStatistics: statisticsEndpoint(
      '/v1/payment-proxy/statistics',
      'transaction:ReadTransaction',
      status.options,
      { id: 'PaymentStatistics', noun: 'transactions' },
    ),
    readPaymentUsage: usageEndpoint('/v1/payment-proxy/usage', 'transaction:ReadTransaction', {
      id: 'PaymentUsage',
      noun: 'transactions',
    }),
    createTransaction: {
      ...tenantRoute('POST', path, 'transaction:CreateTransaction'),
      readsPermissions: ['invitetopay:StartTransaction', 'transaction:CaptureTransaction'],
      summary: 'Create a transaction without charging it.',
      description:
        'With `i2p`, the customer is invited to pay, which requires invitetopay:StartTransaction too; with `capture` besides, transaction:CaptureTransaction.',
      example: exampleCreation,
      body: z
        .strictObject({
          ...creation,
          i2p: z.boolean().default(false).describe('Whether to invite the customer to pay.'),
          invitation: invitationInput.optional().describe('The invitation. Required with `i2p`.'),
        })
        .refine(({ i2p, invitation }) => i2p === (invitation !== undefined), {
          path: ['invitation'],
          error: 'must be given with i2p, and only with it',
        }),
      replies: { 201: transaction },
      location: `${path}/{id}`,
      problems: [...creationProblems, 'template_unusable', 'payment_orchestrator_without_page'],
      idempotent: true,
    },
    createAndAuthorizeTransaction: {
      ...tenantRoute('POST', `${path}/authorize`, 'transaction:AuthorizeTransaction'),
      readsPermissions: ['transaction:CaptureTransaction'],
      summary: 'Create and authorize a transaction.',
      description: `With \`capture\`, the amount is captured too, which requires transaction:CaptureTransaction. ${outcomeText} ${actionText}`,
      example: {
        ...exampleCreation,
        payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
      },
      body: z.strictObject({ ...creation, payment_details: paymentDetails, return_url: confirmationReturnUrl }),
      replies: { 201: transaction, 202: transaction },
      location: `${path}/{id}`,
      problems: [
        ...creationProblems,
        'unknown_payment_token',
        'invalid_transaction_state',
        'operation_in_progress',
        'too_many_operations',
        'payment_declined',
        'provider_unreachable',
      ],
      idempotent: true,
    },
    listTransactions: {
      ...tenantRoute('GET', path, 'transaction:ReadTransaction'),
      summary: 'List transactions.',
      description: searchedPageText,
      query: listQuery,
      replies: { 200: page(transaction) },
    },
    readTransaction: {
      ...tenantRoute('GET', onePath, 'transaction:ReadTransaction'),
      summary: 'Read a transaction with its operations.',
      params,
      replies: { 200: transaction },
      problems: ['transaction_not_found'],
    },
    listOperations: {
      ...tenantRoute('GET', `${onePath}/operations`, 'transaction:ReadTransaction'),
      summary: 'List the operations of a transaction.',
      params,
      query: pageQuery,
      replies: { 200: page(operation) },
      problems: ['transaction_not_found'],
    },
    completeTransaction: {
      ...tenantRoute('POST', `${onePath}/complete`, 'transaction:AuthorizeTransaction'),
      readsPermissions: ['transaction:CaptureTransaction'],
      summary: 'Authorize a transaction that was created before.',
      description: `With \`capture\`, the amount is captured too, which requires transaction:CaptureTransaction. ${outcomeText} ${actionText}`,
      example: { payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }, capture: true },
      params,
      body: z.strictObject({
        payment_details: paymentDetails,
        capture: z.boolean().optional().describe('Capture in the same step. Default: as set on creation.'),
        return_url: confirmationReturnUrl,
      }),
      replies: transactionReplies,
      problems: [...operationProblems, ...authorizationProblems],
      idempotent: true,
    },
    captureTransaction: {
      ...tenantRoute('POST', `${onePath}/capture`, 'transaction:CaptureTransaction'),
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
      replies: transactionReplies,
      problems: [...operationProblems, 'amount_exceeds_capturable'],
      idempotent: true,
    },
    voidTransaction: {
      ...tenantRoute('POST', `${onePath}/void`, 'transaction:VoidTransaction'),
      summary: 'Release the authorized amount that has not been captured.',
      description: `An authorization that waits for the payer is canceled at the payment provider. ${outcomeText}`,
      params,
      body: z.strictObject({ reason: text(500).optional().describe('Reason of the void.') }).default({}),
      replies: transactionReplies,
      problems: operationProblems,
      idempotent: true,
    },
    refundTransaction: {
      ...tenantRoute('POST', `${onePath}/refund`, 'transaction:RefundTransaction'),
      summary: 'Refund a captured amount, or a part of it.',
      description: `The refund is given by amount or by items, not by both. ${outcomeText}`,
      example: { amount: 500, reason: 'One item was damaged' },
      params,
      body: refund,
      replies: transactionReplies,
      problems: [...operationProblems, 'amount_exceeds_refundable', 'unknown_transaction_item'],
      idempotent: true,
    },
    syncTransaction: {
      ...tenantRoute('POST', `${onePath}/sync`, 'transaction:ReadTransaction'),
      summary: 'Query the payment provider for the outcome of a pending or unknown operation.',
      description:
        'Not needed for the outcome: the platform queries the provider by itself, and sends an event. A transaction can be synced 20 times at once, then once in 5 seconds.',
      params,
      replies: transactionReplies,
      problems: ['transaction_not_found', 'business_unit_not_found'],
    },
    resendInvitation: {
      ...tenantRoute('POST', '/v1/payment-proxy/i2p/transactions/{transaction_id}/resend', 'invitetopay:ResendCode'),
      readsPermissions: ['transaction:ReadTransaction'],
      summary: 'Send the invitation to pay of a transaction again.',
      description:
        'Revives an expired invitation for 24 hours. The code of the link stays the same. After `template_unusable`, give the code another `template_id`, and send it again. Without transaction:ReadTransaction, the response shows status and amounts alone.',
      params,
      replies: { 202: partlyShownTransaction },
      problems: [
        'transaction_not_found',
        'code_not_found',
        'code_not_active',
        'payment_orchestrator_unusable',
        'template_unusable',
        'resend_too_soon',
        'resend_limit_reached',
      ],
      idempotent: true,
    },
    receiveProviderWebhook: {
      ...publicRoute('POST', '/v1/payment-proxy/gateway-webhooks/{payment_orchestrator_id}'),
      calledByServers: true,
      summary: 'Receive a webhook of a payment provider.',
      description:
        'For payment providers, which sign their requests. A 200 means that the event is stored, is repeated, or has no meaning here. Any other status: send it again.',
      params: z.strictObject({ payment_orchestrator_id: id.describe('Identifier of the payment orchestrator.') }),
      rawBody: { headers: ['stripe-signature', 'webhook-id', 'webhook-signature', 'webhook-timestamp'] },
      replies: { 200: z.object({ received: z.literal(true).describe('Always true.') }) },
      problems: ['payment_orchestrator_not_found', 'invalid_provider_webhook'],
    },
    listSandboxOperations: {
      ...tenantRoute('GET', '/v1/payment-proxy/sandbox/operations', 'transaction:ReadTransaction'),
      summary: 'List the operations in the ledger of the sandbox.',
      description: 'The sandbox is a payment provider that moves no money. Tests compare its ledger with transactions.',
      query: pageQuery.extend({
        business_unit_id: id.optional().describe('Only operations of this business unit.'),
        transaction_id: id.optional().describe('Only operations of this transaction.'),
      }),
      replies: { 200: page(sandboxOperation) },
    },
    resolveOperation: {
      ...tenantRoute('POST', `${onePath}/operations/{operation_id}/resolve`, 'transaction:ResolveOperation'),
      summary: 'Set the outcome of an operation in review.',
      description:
        'For an operation in the state `needs_review`, after its outcome was looked up at the payment provider. Changes amounts and emits the event like a report of the provider. A repetition with the same outcome changes nothing.',
      example: { outcome: 'succeeded', note: 'Found in the settlement report of 21 November' },
      params: params.extend({ operation_id: id.describe('Identifier of the operation.') }),
      body: z.strictObject({
        outcome: resolvedOutcome,
        note: text(1000).describe('Why. Stored with the operation.'),
      }),
      replies: transactionReplies,
      problems: ['transaction_not_found', 'operation_not_found', 'operation_not_in_review', 'operation_in_progress'],
      sensitive: true,
    },
    ...invitedTransactionEndpoints,
    ...sandboxBankEndpoints,
    ...orchestratorEndpoints,
    ...paymentOperatorEndpoints,
    exportPayer: exportEndpoint(
      transaction,
      'List the transactions of a payer: by email address, phone number or recipient.',
    ),
  },
  events: {
    'payment-proxy.transactions.create': transactionEvent('A transaction was created.', eventExamples.create),
    'payment-proxy.transactions.authorize': transactionEvent('A transaction was authorized.', eventExamples.authorize),
    'payment-proxy.transactions.authorize.failed': transactionEvent(
      'An authorization was declined or could not be sent.',
      eventExamples.authorizeFailed,
    ),
    'payment-proxy.transactions.authorize.and.capture': transactionEvent(
      'A transaction was authorized and captured in one step.',
      eventExamples.authorizeAndCapture,
    ),
    'payment-proxy.transactions.authorize.and.capture.failed': transactionEvent(
      'An authorization with capture failed. `operation.stage` names the step.',
      eventExamples.authorizeAndCaptureFailed,
    ),
    'payment-proxy.transactions.capture': transactionEvent(
      'A transaction was captured, in full or in part.',
      eventExamples.capture,
    ),
    'payment-proxy.transactions.capture.failed': transactionEvent(
      'A capture was declined or could not be sent.',
      eventExamples.captureFailed,
    ),
    'payment-proxy.transactions.void': transactionEvent('An authorization was released.', eventExamples.void),
    'payment-proxy.transactions.void.failed': transactionEvent(
      'A void was declined or could not be sent.',
      eventExamples.voidFailed,
    ),
    'payment-proxy.transactions.refund': transactionEvent(
      'A transaction was refunded, in full or in part.',
      eventExamples.refund,
    ),
    'payment-proxy.transactions.refund.failed': transactionEvent(
      'A refund was declined, could not be sent, or was failed by the provider after it succeeded.',
      eventExamples.refundFailed,
    ),
  },
  internalEvents: { 'payment-proxy.payers.erased': erasureReportEvent },
})
