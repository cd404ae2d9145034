import { randomUUID } from 'node:crypto'
import type { ClaimLoop } from '@payments/chassis/process/claim-loop'
import type { App } from '@payments/chassis/request/app'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { type Operation, payload, type Transaction } from '@payments/contracts/nouns/transaction'
import type { BusinessUnit, FoundUnit } from '@payments/contracts/services/business-unit/contract'
import { type Code, type CodeWithLink, inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import type { Caller } from '@payments/testing/calls/caller'
import { buildUnit, businessUnitPeer, type GivenUnit } from '@payments/testing/peers/business-units'
import { localVault } from '@payments/testing/services/local-vault'
import { payerHashKeysOfTest } from '@payments/testing/services/payer-hash-keys'
import { serviceWorld } from '@payments/testing/services/service-world'
import { until } from '@payments/testing/services/until'
import type { Vault } from '@payments/vault/vault'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { issueNonce } from '../src/domain/nonce.ts'
import { createPaymentsInProgress } from '../src/payment/in-progress.ts'
import { startSendingLoop } from '../src/sending/loop.ts'
import { countMessageAttempts } from '../src/sending/metrics.ts'
import { openDatabase } from '../src/store/database.ts'
import { applyTransactionEvent } from '../src/verbs/apply-transaction-event.ts'
import { communicationPeer, paymentProxyPeer, rbacPeer } from './peers.ts'

export const codesPath = '/v1/invite-to-pay/codes'
export const origin = 'https://pay.example.com'
export const cardPageOrigin = 'https://cards.example.com'

/** A real invite-to-pay on a private database, with peers on real ports in place of other services. */
export async function startWorld(options: Partial<Pick<Deps, 'log'>> = {}) {
  const service = await serviceWorld(inviteToPay, openDatabase, options)
  const { db, rows } = service
  const { log, metrics } = service.deps
  const { vault, vaultKeys } = localVault(service.deps)
  const units = new Map<string, FoundUnit>()
  const businessUnit = await businessUnitPeer('invite-to-pay', async (tenantId, unitId) => {
    const found = units.get(unitId)
    return found?.tenant_id === tenantId ? found : null
  })
  const payments = await paymentProxyPeer()
  const communication = await communicationPeer()
  const rbac = await rbacPeer()
  const loops: ClaimLoop[] = []
  const deps: Deps = {
    ...service.deps,
    vault,
    businessUnits: createBusinessUnitCopies({ db, client: businessUnit.client }),
    paymentProxy: payments.short,
    payments: payments.long,
    inProgress: createPaymentsInProgress({ log, metrics: metrics.registry }),
    communication: communication.client,
    rbac: rbac.client,
    sending: { wake: () => loops.forEach((loop) => loop.wake()) },
    payBaseUrl: origin,
    cardPageOrigin,
    acceptsTestMode: true,
    payerHashKeys: payerHashKeysOfTest(),
    quarantine: quarantineWithoutBroker('invite-to-pay.quarantine'),
  }
  const attempts = countMessageAttempts(metrics.registry)
  const app = createApp(deps)
  const { asTenant, asService, asOperator } = service.createCallers(app)
  const payerAt = (at: App) => payerFrom(service.createCallers(at).asAnonymous())
  const payer = payerAt(app)
  const stored = async (codeId: string) => {
    const [row] = await rows<StoredCode>(
      `SELECT id::text, tenant_id::text, status::text, canceled_by, payment_id::text, claimed_at, recover_at,
         decline_count, resend_count, last_error, version, amount::int, currency, expires_at, created_at,
         communication_id::text, last_sent_at, payer_locale, payer_time_zone FROM codes WHERE id = $1::uuid`,
      codeId,
    )
    if (row === undefined) throw new Error(`no code ${codeId}`)
    return row
  }
  const startSending = () => {
    const loop = startSendingLoop({ ...deps, attempts })
    loops.push(loop)
    return loop
  }
  return {
    ...service,
    app,
    deps,
    vaultKeys,
    appWith: (other: Vault) => createApp({ ...deps, vault: other }),
    payments,
    communication,
    rbac,
    payer,
    /** A payer at another app of the same service. */
    payerAt,
    asTenant,
    asService: () => asService('payment-proxy'),
    asOperator: asOperator(),
    stored,
    /** Submits the form of the page as it is now, and waits until the payment has ended. */
    pay: async (code: CodeWithLink, token = 'tok_visa') => {
      const nonce = await readNonce(code, stored)
      const reply = await payer.form(payPagePath(code), { nonce, cc_token: token, payment_method: 'CREDIT_CARD' })
      await deps.inProgress.settled()
      return reply
    },
    nonce: (code: CodeWithLink) => readNonce(code, stored),
    /** Moves instants of the code into the past, as time does. */
    age: (codeId: string, seconds: number) =>
      rows(
        `UPDATE codes SET expires_at = expires_at - $2 * interval '1 second',
           reminder_at = reminder_at - $2 * interval '1 second', remind_due_at = remind_due_at - $2 * interval '1 second',
           created_at = created_at - $2 * interval '1 second', invited_at = invited_at - $2 * interval '1 second',
           recover_at = recover_at - $2 * interval '1 second', claimed_at = claimed_at - $2 * interval '1 second',
           window_started_at = window_started_at - $2 * interval '1 second',
           last_sent_at = last_sent_at - $2 * interval '1 second'
         WHERE id = $1::uuid`,
        codeId,
        seconds,
      ),
    /** Stores codes of other transactions with the columns of this one, as fast as a test of many codes needs. */
    copyCode: (codeId: string, count: number) =>
      rows<{ id: string }>(
        `INSERT INTO codes SELECT (jsonb_populate_record(code, jsonb_build_object('id', gen_random_uuid(),
             'transaction_id', gen_random_uuid(),
             'code_hash', '\\x' || encode(sha256(gen_random_uuid()::text::bytea), 'hex')))).*
         FROM codes AS code, generate_series(1, $2::int) WHERE code.id = $1::uuid RETURNING id::text`,
        codeId,
        count,
      ),
    /** Changes the transaction at payment-proxy, and applies the event of the change. */
    event: (
      tenantId: string,
      transaction: Transaction,
      operation: Operation | null,
      fields: Partial<Transaction> = {},
    ) => {
      Object.assign(transaction, fields)
      if (operation !== null && !transaction.operations.some(({ id }) => id === operation.id)) {
        transaction.operations.push(operation)
      }
      return applyTransactionEvent(deps, buildEvent(tenantId, transaction, operation))
    },
    /** As an event of business-unit does. Pages and messages read the default locale from the copy of the unit. */
    setDefaultLocale: (unitId: string, locale: string) =>
      rows(
        `UPDATE business_unit_copies SET business_unit = jsonb_set(business_unit, '{default_locale}', to_jsonb($2::text))
         WHERE business_unit_id = $1::uuid`,
        unitId,
        locale,
      ),
    /** As an event of business-unit does. */
    deleteUnit: (unitId: string) =>
      rows(
        `UPDATE business_unit_copies SET business_unit = jsonb_set(business_unit, '{status}', '"deleted"')
         WHERE business_unit_id = $1::uuid`,
        unitId,
      ),
    /** As an event of business-unit does, for the default payment orchestrator of the unit. */
    setOrchestratorStatus: (unitId: string, status: 'active' | 'inactive' | 'deleted') =>
      rows(
        `UPDATE business_unit_copies
         SET payment_orchestrators = jsonb_set(payment_orchestrators, '{0,status}', to_jsonb($2::text))
         WHERE business_unit_id = $1::uuid`,
        unitId,
        status,
      ),
    startSending,
    /** Hands over the messages of the code, by a loop that ends with them. */
    handOver: async (codeId: string) => {
      const loop = startSending()
      const due = 'SELECT 1 FROM messages WHERE code_id = $1::uuid AND due_at IS NOT NULL'
      await until(async () => (await rows(due, codeId)).length === 0)
      await loop.stop()
    },
    /** A new tenant with a business unit, whose default payment orchestrator is a sandbox. */
    tenant: (changes: Partial<BusinessUnit> = {}, given: Partial<GivenUnit> = {}) => {
      const tenantId = randomUUID()
      const unit = buildUnit({ tenantId, businessUnitId: randomUUID(), ...given })
      units.set(unit.business_unit.id, { ...unit, business_unit: { ...unit.business_unit, ...changes } })
      const at = (through: App) => service.createCallers(through).asTenant(tenantId)
      const calls = at(app)
      const unitId = unit.business_unit.id
      const orchestratorId = unit.payment_orchestrators[0]?.id ?? ''
      const draft = (fields: object = {}) => ({
        transaction: {
          business_unit_id: unitId,
          currency: 'EUR',
          transaction: {
            payment_orchestrator_id: orchestratorId,
            transaction_items: [{ name: 'Coffee', unit_amount: 1999, quantity: 2 }],
          },
        },
        communication_type: 'EMAIL',
        recipient: 'payer@example.com',
        ...fields,
      })
      return {
        id: tenantId,
        unitId,
        orchestratorId,
        draft,
        /** The calls of the tenant to another app of the same service. */
        at,
        ...calls,
        /** A pending transaction at payment-proxy. */
        transaction: (fields: Partial<Transaction> = {}) =>
          payments.add(tenantId, { business_unit_id: unitId, payment_orchestrator_id: orchestratorId, ...fields }),
        create: async (fields: object = {}, headers = {}): Promise<CodeWithLink> => {
          const { status, body, text } = await calls.post(codesPath, draft(fields), headers)
          if (status !== 201) throw new Error(`${status} ${text}`)
          return body as CodeWithLink
        },
        /** A new code for a transaction whose codes have ended. */
        createAgain: (transactionId: string, fields: object = {}) =>
          calls.post(codesPath, draft({ transaction: undefined, transaction_id: transactionId, ...fields })),
        read: async (id: string) => (await calls.get(`${codesPath}/${id}`).expect(200)).body as Code,
        reveal: async (id: string) => (await calls.get(`${codesPath}/${id}/reveal`).expect(200)).body as CodeWithLink,
        events: () => service.events<{ code: Code; version: number }>(tenantId),
      }
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await Promise.all([businessUnit.stop(), payments.stop(), communication.stop(), rbac.stop()])
      await service.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = ReturnType<World['tenant']>

interface StoredCode {
  readonly id: string
  readonly tenant_id: string
  readonly status: string
  readonly canceled_by: string | null
  readonly payment_id: string | null
  readonly claimed_at: Date | null
  readonly recover_at: Date | null
  readonly decline_count: number
  readonly resend_count: number
  readonly last_error: { kind: string; code: string; detail: string } | null
  readonly version: number
  readonly amount: number
  readonly currency: string
  readonly expires_at: Date
  readonly created_at: Date
  readonly communication_id: string | null
  readonly last_sent_at: Date | null
  readonly payer_locale: string | null
  readonly payer_time_zone: string | null
}

/** A payer, who loads the page and submits its form. */
const payerFrom = (caller: Caller) => ({
  ...caller,
  form: (path: string, fields: Record<string, string>, headers = {}) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return caller.send('post', path, new URLSearchParams(fields).toString(), { ...type, ...headers })
  },
})

/** An event that says this of a transaction. */
export const buildEvent = (tenantId: string, transaction: Transaction, operation: Operation | null): EventMessage => ({
  id: randomUUID(),
  type: 'payment-proxy.transactions.update',
  tenant_id: tenantId,
  business_unit_id: transaction.business_unit_id,
  trace_id: randomUUID(),
  occurred_at: new Date().toISOString(),
  payload: payload.parse({ transaction, operation, version: transaction.version }),
})

/** Path of the pay page of a code. */
export const payPagePath = (code: Pick<CodeWithLink, 'url'>): string => new URL(code.url).pathname

async function readNonce(code: CodeWithLink, stored: (id: string) => Promise<StoredCode>): Promise<string> {
  const value = payPagePath(code).slice('/pay/'.length)
  return issueNonce(value, await stored(code.id), new Date())
}
