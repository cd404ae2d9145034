import { createSecretKey, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import type { Handlers } from '@payments/chassis/request/router'
import type { Contract, RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import {
  communicationContract,
  problems as communicationProblems,
} from '@payments/contracts/services/communication/contract'
import { paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { authorize, buildTransaction, endConfirmation, type Payment } from './ledger.ts'

/** Serves some endpoints of a contract on a real port, as another service does. */
async function serve<C extends Contract>(contract: C, handlers: Handlers<C>) {
  const key = createSecretKey(randomBytes(32))
  const unreachable = (): never => {
    throw new Error('no operator calls this endpoint')
  }
  const app = createServiceApp({
    contract,
    handlers,
    keys: keysOfEveryProcess(key),
    operatorCalls: { begin: unreachable, complete: unreachable },
    log: createLog(contract.service, 'silent'),
    metrics: createMetrics(contract.service),
    readiness: { required: {} },
  })
  const server = createAppServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const edge = { self: 'invite-to-pay', baseUrl, keys: new Map([[contract.service, key]]) } as const
  return { edge, stop: () => stopServer(server, 0) }
}

/** A ledger with the endpoints of payment-proxy that invite-to-pay calls. */
export async function paymentProxyPeer() {
  const { createInvitedTransaction, inviteToPay, findTransaction, payInvitation } = paymentProxy.endpoints
  const { syncInvitedPayment, cancelInvitedPayment } = paymentProxy.endpoints
  const contract = {
    ...paymentProxy,
    endpoints: {
      createInvitedTransaction,
      inviteToPay,
      findTransaction,
      payInvitation,
      syncInvitedPayment,
      cancelInvitedPayment,
    },
  }
  const ledger = new Map<string, { tenantId: string; transaction: Transaction }>()
  const payments: Payment['body'][] = []
  /** The tenants of the transactions that were read. */
  const reads: string[] = []
  /** The payments whose outcome was requested. */
  const syncs: string[] = []
  const faults = {
    /** Runs before a transaction is read. */
    beforeRead: async (): Promise<void> => {},
    /** Runs before a payment that waits for the payer is canceled. False: the payment provider does not respond. */
    beforeCancel: async (): Promise<boolean> => true,
    /** Runs before a payment starts. */
    beforePayment: async (_payment: Payment['body']): Promise<void> => {},
    /** Runs after a payment has its outcome, before the response. */
    afterPayment: async (): Promise<void> => {},
  }
  const find = (params: { tenant_id: string; transaction_id: string }): Transaction => {
    const found = ledger.get(params.transaction_id)
    if (found?.tenantId !== params.tenant_id) throw new Problem(problems.transaction_not_found)
    return found.transaction
  }
  const add = (tenantId: string, fields: Partial<Transaction> & Pick<Transaction, 'business_unit_id'>): Transaction => {
    const transaction = buildTransaction(fields)
    ledger.set(transaction.id, { tenantId, transaction })
    return transaction
  }
  const peer = await serve(contract, {
    createInvitedTransaction: async (_, { params, body }) => {
      const { transaction_id: id, transaction: draft, invitation } = body
      if (ledger.has(id)) return find({ ...params, transaction_id: id })
      return add(params.tenant_id, {
        id,
        i2p: true,
        business_unit_id: draft.business_unit_id,
        external_reference: draft.external_reference ?? null,
        currency: draft.currency ?? 'EUR',
        amount: draft.amount ?? 3998,
        capture: draft.capture,
        locale: draft.locale ?? null,
        transaction_items: draft.transaction.transaction_items ?? [],
        ...(draft.transaction.payment_orchestrator_id === undefined
          ? {}
          : { payment_orchestrator_id: draft.transaction.payment_orchestrator_id }),
        invitation: {
          communication_type: invitation.communication_type,
          recipient: invitation.recipient,
          template_id: invitation.template_id ?? null,
          communication_details: invitation.communication_details ?? {},
          expires_at: invitation.expires_at?.toISOString() ?? null,
          reminder_at: invitation.reminder_at?.toISOString() ?? null,
          return_url: invitation.return_url ?? null,
          locale: invitation.locale ?? null,
        },
      })
    },
    inviteToPay: async (_, { params }) => {
      const transaction = find(params)
      if (transaction.status !== 'pending' && transaction.status !== 'failed') {
        throw new Problem(problems.transaction_not_payable)
      }
      return Object.assign(transaction, { i2p: true })
    },
    findTransaction: async (_, { params }) => {
      reads.push(params.tenant_id)
      await faults.beforeRead()
      return find(params)
    },
    payInvitation: async (_, { params, body }) => {
      payments.push(body)
      await faults.beforePayment(body)
      const transaction = find(params)
      authorize(transaction, body)
      await faults.afterPayment()
      return transaction
    },
    syncInvitedPayment: async (_, { params }) => {
      syncs.push(params.payment_id)
      await faults.beforeRead()
      return find(params)
    },
    cancelInvitedPayment: async (_, { params }) => {
      const transaction = find(params)
      if ((await faults.beforeCancel()) && transaction.pending_operation?.state === 'action_required') {
        endConfirmation(transaction, 'declined', 'authentication_canceled')
      }
      return transaction
    },
  })
  return {
    short: client(paymentProxy, { ...peer.edge, timeoutMs: 20_000 }),
    long: client(paymentProxy, { ...peer.edge, timeoutMs: 60_000 }),
    ledger,
    add,
    payments,
    reads,
    syncs,
    faults,
    stop: peer.stop,
  }
}

type Queued = RequestOf<typeof communicationContract.endpoints.queueCommunication>['body']

/** communication: stores each message once per id. Without `templates`, every template is unusable. */
export async function communicationPeer() {
  const { queueCommunication, checkTemplate } = communicationContract.endpoints
  const contract = { ...communicationContract, endpoints: { queueCommunication, checkTemplate } }
  const messages = new Map<string, Queued>()
  const state = { isDown: false, isRejecting: false, isLimiting: false, templates: new Set<string>() }
  /** The templates that were checked, with the locale of the message. */
  const checks: [string, string | null][] = []
  const peer = await serve(contract, {
    queueCommunication: async (_, { body }) => {
      if (state.isDown) throw new Error('down')
      if (state.isRejecting) throw new Problem(communicationProblems.template_unusable)
      if (state.isLimiting) throw new Problem(commonProblems.rate_limited, { retryAfterSeconds: 60 })
      messages.set(body.message_id, body)
      return {
        id: body.message_id,
        object: 'communication' as const,
        business_unit_id: body.business_unit_id,
        communication_type: body.communication_type,
        recipient: body.recipient,
        template_id: null,
        template_name: null,
        template_version: null,
        amount: null,
        status: 'queued' as const,
        provider: 'outbox' as const,
        provider_message_id: null,
        error: null,
        created_at: new Date().toISOString(),
        sent_at: null,
      }
    },
    checkTemplate: async (_, { body }): Promise<undefined> => {
      checks.push([body.template_id, body.locale])
      if (!state.templates.has(body.template_id)) {
        const errors = [{ pointer: '/template_id', detail: 'is no template' }]
        throw new Problem(communicationProblems.template_unusable, { errors })
      }
    },
  })
  const ours = client(communicationContract, { ...peer.edge, timeoutMs: 20_000 })
  return { client: ours, messages, checks, state, stop: peer.stop }
}

/** Every tenant is active, except those in `suspended`. */
export async function rbacPeer() {
  const { readTenant } = rbac.endpoints
  const suspended = new Set<string>()
  const state = { isDown: false }
  const peer = await serve(
    { ...rbac, endpoints: { readTenant } },
    {
      readTenant: async (_, { params: { tenant_id: id } }) => {
        if (state.isDown) throw new Error('down')
        const now = new Date().toISOString()
        const status = suspended.has(id) ? ('suspended' as const) : ('active' as const)
        return { id, name: 'Acme', status, created_at: now, updated_at: now, roles: [] }
      },
    },
  )
  return { client: client(rbac, { ...peer.edge, timeoutMs: 20_000 }), suspended, state, stop: peer.stop }
}
