import { actorName, type Caller } from '@payments/chassis/base/caller'
import type { Handlers } from '@payments/chassis/request/router'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { quarantineHandlers } from '@payments/messaging/quarantine/quarantine-handlers'
import type { Deps } from './deps.ts'
import { cancelInvitedPayment } from './verbs/cancel-invited-payment.ts'
import { captureTransaction } from './verbs/capture-transaction.ts'
import { checkPaymentOrchestrator } from './verbs/check-payment-orchestrator.ts'
import { completeTransaction } from './verbs/complete-transaction.ts'
import { createAndAuthorizeTransaction } from './verbs/create-and-authorize-transaction.ts'
import { createInvitedTransaction } from './verbs/create-invited-transaction.ts'
import { createTransaction } from './verbs/create-transaction.ts'
import { decideAtSandboxBank } from './verbs/decide-at-sandbox-bank.ts'
import { exportPayer } from './verbs/export-payer.ts'
import { inviteToPay } from './verbs/invite-to-pay.ts'
import { listReportedOperations } from './verbs/list-reported-operations.ts'
import { payInvitation } from './verbs/pay-invitation.ts'
import { listOperations, listSandboxOperations } from './verbs/read-operations.ts'
import { listOpenOperations, listRecordedOperations } from './verbs/read-operator-lists.ts'
import { readPaymentStatistics, readPaymentUsage } from './verbs/read-payment-statistics.ts'
import { findTransaction, listTransactions, readTransaction } from './verbs/read-transactions.ts'
import { receiveProviderWebhook } from './verbs/receive-provider-webhook.ts'
import { refundTransaction } from './verbs/refund-transaction.ts'
import { resendInvitation } from './verbs/resend-invitation.ts'
import { resolveOperation } from './verbs/resolve-operation.ts'
import { showSandboxBank } from './verbs/show-sandbox-bank.ts'
import { syncInvitedPayment } from './verbs/sync-invited-payment.ts'
import { syncTransaction } from './verbs/sync-transaction.ts'
import { voidTransaction } from './verbs/void-transaction.ts'

export const routes = (deps: Deps): Handlers<typeof paymentProxy> => {
  const { providerPermits: permits } = deps
  /** Runs requests that may call a payment provider: the credentials, and the links as one, take turns. */
  const paying = <T>({ tenantId, actor }: Caller, work: () => Promise<T>) =>
    permits.run(tenantId, work, actorName(actor))
  const payingLink = <T>(tenantId: string, work: () => Promise<T>) => permits.run(tenantId, work, 'links')
  return {
    ...quarantineHandlers([deps.quarantine, deps.quarantinedEvents], deps.log),
    readPaymentStatistics: (caller, { query }) => readPaymentStatistics(deps, caller, query),
    readPaymentUsage: (caller, { query }) => readPaymentUsage(deps, caller, query.month),
    createTransaction: (caller, { body }) => createTransaction(deps, caller, body),
    createAndAuthorizeTransaction: (caller, { body }) =>
      paying(caller, () => createAndAuthorizeTransaction(deps, caller, body)),
    listTransactions: (caller, { query }) => listTransactions(deps, caller, query),
    readTransaction: (caller, { params }) => readTransaction(deps, caller, params.transaction_id),
    listOperations: (caller, { params, query }) => listOperations(deps, caller, params.transaction_id, query),
    completeTransaction: (caller, { params, body }) =>
      paying(caller, () => completeTransaction(deps, caller, params.transaction_id, body)),
    captureTransaction: (caller, { params, body }) =>
      paying(caller, () => captureTransaction(deps, caller, params.transaction_id, body)),
    voidTransaction: (caller, { params, body }) =>
      paying(caller, () => voidTransaction(deps, caller, params.transaction_id, body.reason)),
    refundTransaction: (caller, { params, body }) =>
      paying(caller, () => refundTransaction(deps, caller, params.transaction_id, body)),
    resendInvitation: (caller, { params }) => resendInvitation(deps, caller, params.transaction_id),
    resolveOperation: (caller, { params, body }) => resolveOperation(deps, caller, params, body),
    listSandboxOperations: (caller, { query }) => listSandboxOperations(deps, caller, query),
    receiveProviderWebhook: (caller, { params, raw }) =>
      receiveProviderWebhook(deps, caller, params.payment_orchestrator_id, raw),
    syncTransaction: (caller, { params }) => paying(caller, () => syncTransaction(deps, caller, params.transaction_id)),
    checkPaymentOrchestrator: (caller, { params }) =>
      paying(caller, () => checkPaymentOrchestrator(deps, caller, params)),
    createInvitedTransaction: ({ traceId }, { params, body }) =>
      createInvitedTransaction(deps, { tenantId: params.tenant_id, traceId }, body),
    inviteToPay: ({ traceId }, { params }) =>
      inviteToPay(deps, { tenantId: params.tenant_id, traceId }, params.transaction_id),
    findTransaction: (_caller, { params }) => findTransaction(deps, params.tenant_id, params.transaction_id),
    payInvitation: ({ traceId }, { params: { tenant_id: tenantId, transaction_id: transactionId }, body }) =>
      payingLink(tenantId, () => payInvitation(deps, { tenantId, transactionId, traceId }, body)),
    syncInvitedPayment: (_caller, { params }) => payingLink(params.tenant_id, () => syncInvitedPayment(deps, params)),
    cancelInvitedPayment: (_caller, { params }) =>
      payingLink(params.tenant_id, () => cancelInvitedPayment(deps, params)),
    showSandboxBank: (caller, { params }) => showSandboxBank(deps, caller, params.challenge),
    decideAtSandboxBank: (caller, { params, raw }) => decideAtSandboxBank(deps, caller, params.challenge, raw),
    listOpenOperations: (_caller, { query }) => listOpenOperations(deps, query),
    exportPayer: (_caller, { params, body }) => exportPayer(deps, params.tenant_id, body),
    listRecordedOperations: (_caller, { query }) => listRecordedOperations(deps, query),
    listReportedOperations: (caller, { query }) => listReportedOperations(deps, caller.traceId, query),
  }
}
