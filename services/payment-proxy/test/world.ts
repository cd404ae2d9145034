import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { App } from '@payments/chassis/request/app'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import type { BusinessUnit, FoundUnit, PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { signCall } from '@payments/testing/calls/signed-call'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { openConnections } from '@payments/testing/database/open-connections'
import { businessUnitPeer, copyStatement, unitOf } from '@payments/testing/peers/business-units'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { createAccounts } from '../src/connectors/accounts.ts'
import type { Connector } from '../src/connectors/connector.ts'
import {
  createProvider,
  type Provider,
  type ProviderOptions,
  type ProviderRequest,
} from '../src/connectors/provider.ts'
import { createSandbox } from '../src/connectors/sandbox.ts'
import { createProviderPermits } from '../src/operation/provider-permits.ts'
import { createTurnsOfJobs } from '../src/operation/turns.ts'
import { openDatabase } from '../src/store/database.ts'
import { failSandboxRefunds } from '../src/verbs/fail-sandbox-refunds.ts'
import { inviteToPayPeer } from './invite-to-pay-peer.ts'
import { applyAll, releaseAll, resumeAll } from './resume-all.ts'

const edgeKey = createSecretKey(randomBytes(32))
const log = createLog('payment-proxy', 'fatal')

/** One real payment-proxy on one private database, with a clock that tests advance and sweepers that tests run. */
export async function startWorld({ providerTimeoutMs = 15_000 } = {}) {
  const database = await privateDatabase('payment-proxy')
  const db = openDatabase(database.url, testPool)
  const sandboxDb = openDatabase(database.url, { ...testPool, connectionsMax: 10 })
  // As the owner of the tables: reads rows that the API does not show.
  const owner = openDatabase(database.ownerUrl, testPool)
  const sandbox = createSandbox(sandboxDb)
  // Tenants get their units as copies; business-unit knows only what a test puts here.
  const sourceUnits = new Map<string, FoundUnit>()
  const businessUnit = await businessUnitPeer('payment-proxy', async (_, id) => sourceUnits.get(id) ?? null)
  const units = createBusinessUnitCopies({ db, client: businessUnit.client })
  const accounts = createAccounts({ units, client: businessUnit.client })
  const inviteToPay = await inviteToPayPeer()
  let aheadMs = 0
  const providerOf = (connector: Connector, options: Partial<ProviderOptions> = {}) =>
    createProvider({ connectors: { sandbox: connector }, accounts, timeoutMs: providerTimeoutMs, log, ...options })
  const deps = {
    db,
    provider: providerOf(sandbox),
    providerPermits: createProviderPermits(),
    units,
    acceptsTestMode: true,
    inviteToPay: inviteToPay.client,
    now: () => new Date(Date.now() + aheadMs),
    keys: keysOfEveryProcess(edgeKey),
    brokerCheck: async () => null,
    quarantine: quarantineWithoutBroker('payment-proxy.quarantine'),
    log,
    metrics: createMetrics('payment-proxy'),
  }
  const turns = createTurnsOfJobs()
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows: Rows = (sql, ...values) => owner.acrossTenants((tx) => tx.$queryRawUnsafe(sql, ...values))
  const authorized = async (token = 'visa', body: object = {}) => {
    const owned = tenant(app, rows)
    const { id } = (await owned.authorize(token, body)).body
    return { tenant: owned, id: id as string }
  }
  return {
    app,
    edgeKey,
    deps,
    inviteToPay,
    sourceUnits,
    sourceCalls: businessUnit.calls,
    sandbox,
    providerOf,
    database,
    rows,
    tenant: () => tenant(app, rows),
    /** A new tenant with an authorized transaction. */
    authorized,
    /** A new tenant with a captured transaction. */
    captured: (token = 'visa', body: object = {}) => authorized(token, { capture: true, ...body }),
    /** The service when its process crashes before or after the provider request. */
    crashing: (when: 'before' | 'after'): App =>
      createApp({ ...deps, provider: crashingProvider(deps.provider, when) }),
    advanceClock: (ms: number) => {
      aheadMs += ms
    },
    applyProviderEvents: () => applyAll(deps, turns.events),
    failSandboxRefunds: () => failSandboxRefunds(deps, turns.sandboxRefunds),
    resumeOpen: () => resumeAll(deps, turns.operations),
    releaseExpired: () => releaseAll(deps),
    stop: async () => {
      await Promise.all([db.close(), sandboxDb.close(), owner.close(), businessUnit.stop(), inviteToPay.stop()])
      await database.drop()
    },
  }
}

function crashingProvider(provider: Provider, when: 'before' | 'after'): Provider {
  return {
    ...provider,
    send: async (request) => {
      if (when === 'after') await provider.send(request)
      throw new Error('the process crashed')
    },
  }
}

/** A provider that executes every request at once and holds the first response until the test calls `respond`. */
export function heldProvider(provider: Provider) {
  let [reach, respond] = [() => {}, () => {}]
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const released = new Promise<void>((resolve) => {
    respond = resolve
  })
  const requests: ProviderRequest[] = []
  const send: Provider['send'] = async (sent) => {
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
type Rows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) => Promise<R[]>

interface SentEvent {
  type: string
  business_unit_id: string
  payload: { transaction: Record<string, unknown>; operation: Record<string, unknown> | null; version: number }
}

interface UnitOptions {
  readonly unit?: Partial<BusinessUnit>
  /** Default: one active default of the sandbox. */
  readonly orchestrators?: readonly Partial<PaymentOrchestrator>[]
}

function foundUnit(tenantId: string, businessUnitId: string, options: UnitOptions, version = 1): FoundUnit {
  const { unit = {}, orchestrators = [{}] } = options
  const found = unitOf({ tenantId, businessUnitId, orchestrators: orchestrators.map((one) => ({ version, ...one })) })
  return { ...found, business_unit: { ...found.business_unit, ...unit } }
}

/** Stores the copy of a business unit, in place of an earlier one. */
async function storeUnit(rows: Rows, tenantId: string, businessUnitId: string, options: UnitOptions = {}) {
  const { text, values } = copyStatement(foundUnit(tenantId, businessUnitId, options))
  await rows(text, ...values)
}

/** A new tenant with one business unit, its caller, and reads of its rows. */
function tenant(app: App, rows: Rows) {
  const id = randomUUID()
  const businessUnitId = randomUUID()
  const paymentOrchestratorId = randomUUID()
  let stored: Promise<void> | undefined
  /** Stores the business unit before the first request. */
  const ready = () =>
    (stored ??= storeUnit(rows, id, businessUnitId, { orchestrators: [{ id: paymentOrchestratorId }] }))
  const callerOf = (other: App, permissions: readonly Permission[]) =>
    caller(other, { id, businessUnitId, ready }, permissions)
  const events = () =>
    rows<SentEvent>(
      'SELECT type, business_unit_id::text, payload FROM outbox_events WHERE tenant_id = $1::uuid ORDER BY sequence',
      id,
    )
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
    through: (other: App) => callerOf(other, permissionNames),
    by: (permissions: readonly Permission[] = permissionNames) => callerOf(app, permissions),
    ...callerOf(app, permissionNames),
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

/** Calls the app like the gateway, with an assertion for this request. */
function caller(
  app: App,
  { id: tenantId, businessUnitId, ready }: { id: string; businessUnitId: string; ready: () => Promise<void> },
  permissions: readonly Permission[],
) {
  const send = async (
    method: 'get' | 'post',
    path: string,
    body?: object | string,
    key?: string,
    type = 'application/json',
  ) => {
    await ready()
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const claims = {
      tenantId,
      actor: { type: 'api_key', id: randomUUID() },
      permissions,
      traceId: randomUUID(),
    } as const
    const assertion = signCall(paymentProxy, edgeKey, claims, { method: method.toUpperCase(), path, body: text })
    const sent = request(app)[method](path).set('Internal-Assertion', assertion)
    if (key !== undefined) void sent.set('Idempotency-Key', key)
    return text === undefined ? sent : sent.set('Content-Type', type).send(text)
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
