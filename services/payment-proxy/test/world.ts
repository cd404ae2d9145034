import { randomUUID } from 'node:crypto'
import type { App } from '@payments/chassis/request/app'
import type { Permission } from '@payments/contracts/grammar/permission'
import type { BusinessUnit, FoundUnit, PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import type { Caller } from '@payments/testing/calls/caller'
import { testPool } from '@payments/testing/database/database'
import { buildUnit, businessUnitPeer, copyStatement } from '@payments/testing/peers/business-units'
import { type OwnerRows, serviceWorld } from '@payments/testing/services/service-world'
import { createApp } from '../src/app.ts'
import { createAccounts } from '../src/connectors/accounts.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { createProviderCalls, type ProviderCalls, type ProviderOptions } from '../src/connectors/provider-calls.ts'
import type { ProviderRequest } from '../src/connectors/provider-request.ts'
import { createRequestRates } from '../src/connectors/rates.ts'
import { createSandbox } from '../src/connectors/sandbox.ts'
import { createTurnsOfJobs } from '../src/operation/due-rows.ts'
import { createProviderPermits } from '../src/operation/provider-permits.ts'
import { createQuarantinedEvents } from '../src/operation/quarantined-events.ts'
import { openDatabase } from '../src/store/database.ts'
import { failSandboxRefunds } from '../src/verbs/fail-sandbox-refunds.ts'
import { inviteToPayPeer } from './invite-to-pay-peer.ts'
import { underItsName } from './provider-world.ts'
import { applyAll, releaseAll, resumeAll } from './resume-all.ts'

/** As in production, with the origin of the pages of the platform. */
export const actionRules = { allowPrivate: false, ownOrigin: 'https://pay.payments.test' }

/** One real payment-proxy on one private database, with a clock that tests advance and sweepers that tests run. */
export async function startWorld({ providerTimeoutMs = 15_000 } = {}) {
  const service = await serviceWorld(paymentProxy, openDatabase)
  const { db } = service
  const { log } = service.deps
  const sandboxDb = openDatabase(service.database.url, { ...testPool, connectionsMax: 10 })
  // Tenants get their units as copies; business-unit knows only what a test puts here.
  const sourceUnits = new Map<string, FoundUnit>()
  const businessUnit = await businessUnitPeer('payment-proxy', async (_, id) => sourceUnits.get(id) ?? null)
  const units = createBusinessUnitCopies({ db, client: businessUnit.client })
  const accounts = createAccounts({ units, client: businessUnit.client })
  const inviteToPay = await inviteToPayPeer()
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const sandbox = createSandbox(sandboxDb, { ownOrigin: actionRules.ownOrigin, now })
  const createTestProvider = (connector: Connector, options: Partial<ProviderOptions> = {}) =>
    createProviderCalls({
      connectors: underItsName(connector),
      accounts,
      timeoutMs: providerTimeoutMs,
      log,
      actionRules,
      ...options,
    })
  const deps = {
    ...service.deps,
    providerCalls: createTestProvider(sandbox),
    providerPermits: createProviderPermits(),
    ...createRequestRates(),
    units,
    acceptsTestMode: true,
    payBaseUrl: actionRules.ownOrigin,
    inviteToPay: inviteToPay.client,
    now,
    quarantine: quarantineWithoutBroker('payment-proxy.quarantine'),
    quarantinedEvents: createQuarantinedEvents({ db, log, now }),
  }
  const turns = createTurnsOfJobs()
  const app = createApp(deps)
  const newTenant = () => createTenant(service, app)
  const authorized = async (token = 'visa', body: object = {}) => {
    const owned = newTenant()
    const { id } = (await owned.authorize(token, body)).body
    return { tenant: owned, id: id as string }
  }
  return {
    ...service,
    app,
    deps,
    asOperator: service.createCallers(app).asOperator(),
    inviteToPay,
    sourceUnits,
    sourceCalls: businessUnit.calls,
    sandbox,
    createTestProvider,
    tenant: newTenant,
    /** A new tenant with an authorized transaction. */
    authorized,
    /** A new tenant with a captured transaction. */
    captured: (token = 'visa', body: object = {}) => authorized(token, { capture: true, ...body }),
    /** The service when its process crashes before or after the provider request. */
    crashing: (when: 'before' | 'after'): App =>
      createApp({ ...deps, providerCalls: crashingProvider(deps.providerCalls, when) }),
    advanceClock: (ms: number) => {
      aheadMs += ms
    },
    applyProviderEvents: () => applyAll(deps, turns.events),
    failSandboxRefunds: () => failSandboxRefunds(deps, turns.sandboxRefunds),
    resumeOpen: () => resumeAll(deps),
    releaseExpired: () => releaseAll(deps),
    stop: async () => {
      await Promise.all([sandboxDb.close(), businessUnit.stop(), inviteToPay.stop()])
      await service.stop()
    },
  }
}

function crashingProvider(provider: ProviderCalls, when: 'before' | 'after'): ProviderCalls {
  return {
    ...provider,
    send: async (request) => {
      if (when === 'after') await provider.send(request)
      throw new Error('the process crashed')
    },
  }
}

/** A provider that executes every request at once and holds the first response until the test calls `respond`. */
export function heldProvider(provider: ProviderCalls) {
  let [reach, respond] = [() => {}, () => {}]
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const released = new Promise<void>((resolve) => {
    respond = resolve
  })
  const requests: ProviderRequest[] = []
  const send: ProviderCalls['send'] = async (sent) => {
    requests.push(sent)
    const outcome = await provider.send(sent)
    reach()
    if (requests[0] === sent) await released
    return outcome
  }
  return { ...provider, send, reached, requests, respond: () => respond() }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = ReturnType<World['tenant']>

interface EventPayload {
  transaction: Record<string, unknown>
  operation: Record<string, unknown> | null
  version: number
}

interface UnitOptions {
  readonly unit?: Partial<BusinessUnit>
  /** Default: one active default of the sandbox. */
  readonly orchestrators?: readonly Partial<PaymentOrchestrator>[]
}

function foundUnit(tenantId: string, businessUnitId: string, options: UnitOptions, version = 1): FoundUnit {
  const { unit = {}, orchestrators = [{}] } = options
  const found = buildUnit({
    tenantId,
    businessUnitId,
    orchestrators: orchestrators.map((one) => ({ version, ...one })),
  })
  return { ...found, business_unit: { ...found.business_unit, ...unit } }
}

/** Stores the copy of a business unit, in place of an earlier one. */
async function storeUnit(rows: OwnerRows, tenantId: string, businessUnitId: string, options: UnitOptions = {}) {
  const { text, values } = copyStatement(foundUnit(tenantId, businessUnitId, options))
  await rows(text, ...values)
}

/** A new tenant with one business unit, its caller, and reads of its rows. */
function createTenant({ rows, events: readEvents, createCallers }: Awaited<ReturnType<typeof serviceWorld>>, app: App) {
  const id = randomUUID()
  const businessUnitId = randomUUID()
  const paymentOrchestratorId = randomUUID()
  let stored: Promise<void> | undefined
  /** Stores the business unit before the first request. */
  const ready = () =>
    (stored ??= storeUnit(rows, id, businessUnitId, { orchestrators: [{ id: paymentOrchestratorId }] }))
  const createCaller = (other: App, permissions?: readonly Permission[], actor?: Caller['actor']) =>
    withTransactions(createCallers(other).asTenant(id, permissions, actor), businessUnitId, ready)
  const events = () => readEvents<EventPayload>(id)
  return {
    id,
    businessUnitId,
    paymentOrchestratorId,
    /** Replaces the business unit of the tenant, or stores another. */
    storeUnit: async (options: UnitOptions, unitId = businessUnitId) => {
      await ready()
      await storeUnit(rows, id, unitId, options)
    },
    /** The business unit as business-unit has it, with payment orchestrators of this version. */
    unit: (options: UnitOptions, version: number) => foundUnit(id, businessUnitId, options, version),
    through: (other: App) => createCaller(other),
    by: (permissions?: readonly Permission[]) => createCaller(app, permissions),
    as: (actor: Caller['actor']) => createCaller(app, undefined, actor),
    ...createCaller(app),
    events,
    eventTypes: async () => (await events()).map(({ type }) => type.replace('payment-proxy.transactions.', '')),
    /** The operations in the ledger of the provider. */
    ledger: () =>
      rows<{ id: string; type: string; state: string; amount: bigint }>(
        'SELECT id::text, type::text, state::text, amount FROM sandbox_operations WHERE tenant_id = $1::uuid ORDER BY received_at, id',
        id,
      ),
    /** The operations that the service recorded. */
    recorded: () =>
      rows<{ id: string; type: string; state: string; amount: bigint }>(
        'SELECT id::text, type::text, state::text, amount FROM operations WHERE tenant_id = $1::uuid ORDER BY created_at, id',
        id,
      ),
  }
}

const base = '/v1/payment-proxy/transactions'

/** The requests about transactions. The business unit is stored before the first one. */
function withTransactions(caller: Caller, businessUnitId: string, ready: () => Promise<void>) {
  const send = async (
    method: 'get' | 'post',
    path: string,
    body?: object | string,
    key?: string,
    type = 'application/json',
  ) => {
    await ready()
    const headers = key === undefined ? {} : { 'Idempotency-Key': key }
    return caller.send(method, path, body, body === undefined ? headers : { 'Content-Type': type, ...headers })
  }
  const order = { business_unit_id: businessUnitId, currency: 'EUR', amount: 10_000 }
  return {
    send,
    resend: (id: string, key?: string) =>
      send('post', `/v1/payment-proxy/i2p/transactions/${id}/resend`, undefined, key),
    create: (body: object = {}, key?: string) => send('post', base, { ...order, ...body }, key),
    authorize: (token = 'visa', body: object = {}, key?: string) =>
      send('post', `${base}/authorize`, { ...order, ...paying(token), ...body }, key),
    complete: (id: string, token = 'visa', body: object = {}, key?: string) =>
      send('post', `${base}/${id}/complete`, { ...paying(token), ...body }, key),
    capture: (id: string, body?: object, key?: string) => send('post', `${base}/${id}/capture`, body, key),
    void: (id: string, body?: object, key?: string) => send('post', `${base}/${id}/void`, body, key),
    refund: (id: string, body?: object, key?: string) => send('post', `${base}/${id}/refund`, body, key),
    sync: (id: string) => send('post', `${base}/${id}/sync`),
    read: (id: string) => send('get', `${base}/${id}`),
    list: (query = '') => send('get', `${base}${query}`),
    operations: (id: string, query = '') => send('get', `${base}/${id}/operations${query}`),
  }
}

export function paying(token: string) {
  return { payment_details: { payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${token}` } }
}

/** Number of replies by status. */
export function statuses(replies: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
