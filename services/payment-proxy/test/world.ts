import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { App } from '@payments/chassis/app'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { paymentProxy } from '@payments/contracts/payment-proxy'
import { type Permission, permissionNames } from '@payments/contracts/permission'
import { privateDatabase } from '@payments/testing/database'
import { keysOfEveryProcess } from '@payments/testing/edges'
import { openConnections } from '@payments/testing/open-connections'
import { signCall } from '@payments/testing/signed-call'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { createProvider, type Provider, type ProviderRequest } from '../src/connectors/provider.ts'
import { createSandbox } from '../src/connectors/sandbox.ts'
import { openDatabase } from '../src/store/database.ts'
import { releaseExpiredAuthorizations } from '../src/verbs/release-expired-authorizations.ts'
import { settleOpenOperations } from '../src/verbs/settle-open-operations.ts'

const edgeKey = createSecretKey(randomBytes(32))
const log = createLog('payment-proxy', 'fatal')

/** One real payment-proxy on one private database, with a clock that tests advance and sweepers that tests run. */
export async function startWorld({ providerTimeoutMs = 15_000 } = {}) {
  const database = await privateDatabase('payment-proxy')
  const db = openDatabase(database.url)
  const sandboxDb = openDatabase(database.url, 10)
  // As the owner of the tables: reads rows that the API does not show.
  const owner = openDatabase(database.ownerUrl)
  const sandbox = createSandbox(sandboxDb)
  let aheadMs = 0
  const deps = {
    db,
    provider: createProvider(sandbox, providerTimeoutMs, log),
    now: () => new Date(Date.now() + aheadMs),
    keys: keysOfEveryProcess(edgeKey),
    broker: async () => null,
    log,
    metrics: createMetrics('payment-proxy'),
  }
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows: Rows = (sql, ...values) => owner.acrossTenants((tx) => tx.$queryRawUnsafe(sql, ...values))
  return {
    app,
    edgeKey,
    deps,
    sandbox,
    database,
    rows,
    tenant: () => tenant(app, rows),
    /** The service when its process crashes before or after the provider request. */
    crashing: (when: 'before' | 'after'): App =>
      createApp({ ...deps, provider: crashingProvider(deps.provider, when) }),
    advanceClock: (ms: number) => {
      aheadMs += ms
    },
    settleOpen: () => settleOpenOperations(deps),
    releaseExpired: () => releaseExpiredAuthorizations(deps),
    stop: async () => {
      await Promise.all([db.close(), sandboxDb.close(), owner.close()])
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

export interface SentEvent {
  type: string
  business_unit_id: string
  payload: { transaction: Record<string, unknown>; operation: Record<string, unknown> | null; version: number }
}

/** A new tenant with one business unit, its caller, and reads of its rows. */
function tenant(app: App, rows: Rows) {
  const id = randomUUID()
  const businessUnitId = randomUUID()
  const events = () =>
    rows<SentEvent>(
      'SELECT type, business_unit_id::text, payload FROM outbox_events WHERE tenant_id = $1::uuid ORDER BY sequence',
      id,
    )
  return {
    id,
    businessUnitId,
    through: (other: App) => caller(other, id, businessUnitId, permissionNames),
    by: (permissions: readonly Permission[] = permissionNames) => caller(app, id, businessUnitId, permissions),
    ...caller(app, id, businessUnitId, permissionNames),
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
function caller(app: App, tenantId: string, businessUnitId: string, permissions: readonly Permission[]) {
  const send = (method: 'get' | 'post', path: string, body?: object | string, key?: string) => {
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
    return text === undefined ? sent : sent.set('Content-Type', 'application/json').send(text)
  }
  const order = { business_unit_id: businessUnitId, currency: 'EUR', amount: 10_000 }
  return {
    send,
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
