import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { App } from '@payments/chassis/request/app'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import {
  type BusinessUnit,
  businessUnitContract,
  type PaymentOrchestrator,
} from '@payments/contracts/services/business-unit/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { signCall } from '@payments/testing/calls/signed-call'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { openConnections } from '@payments/testing/database/open-connections'
import { asOperator } from '@payments/testing/suites/operator'
import { openVault } from '@payments/vault/open'
import type { Vault } from '@payments/vault/vault'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { openDatabase } from '../src/store/database.ts'

export const units = '/v1/business-unit/business-units'
export const draftUnit = (given: object = {}) => ({ name: `unit ${randomUUID()}`, timezone_name: 'UTC', ...given })
export const sandbox = (given: object = {}) => ({
  name: 'Sandbox',
  payment_gateway: 'sandbox',
  mode: 'test',
  ...given,
})
/** Not a prefix of any other text, so that a test finds it wherever it is. */
export const httpSecret = 'Zq7-only-the-provider-knows-this-secret'
export const httpProvider = (given: object = {}) => ({
  name: 'Bank',
  payment_gateway: 'http',
  mode: 'live',
  gateway_url: 'https://api.bank.example.com/v1',
  gateway_authentication: { key_id: 'key-1', secret: httpSecret },
  ...given,
})
export const stripe = (given: object = {}) => ({
  name: 'Stripe',
  payment_gateway: 'stripe',
  mode: 'test',
  gateway_authentication: { secret_key: 'sk_test_4eC39HqLyjWDarjtT1' },
  ...given,
})

/** A real business-unit on a private database. */
export async function startWorld(
  given: Partial<Pick<Deps, 'log' | 'destinations' | 'acceptsTestMode' | 'cardPages'>> = {},
) {
  const database = await privateDatabase('business-unit')
  const db = openDatabase(database.url, testPool)
  // With the role that owns the tables, for rows that no service returns.
  const owner = openDatabase(database.ownerUrl, testPool)
  const edgeKey = createSecretKey(randomBytes(32))
  const metrics = createMetrics('business-unit')
  const vaultKeys = new Map([['k1', createSecretKey(randomBytes(32))]])
  const deps: Deps = {
    db,
    vault: openVault({ VAULT_KEYS: vaultKeys, VAULT_KEY_CURRENT: 'k1' }, db, metrics.registry),
    destinations: { allowPrivate: false },
    acceptsTestMode: true,
    cardPages: { origins: {}, listedOnly: false, ownOrigin: 'https://pay.example.com' },
    brokerCheck: async () => null,
    keys: keysOfEveryProcess(edgeKey),
    log: createLog('business-unit', 'fatal'),
    metrics,
    ...given,
  }
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
    owner.acrossTenants((tx) => tx.$queryRawUnsafe<R[]>(sql, ...values))
  const as = (tenantId: string | null, actor: ActorClaim, permissions: readonly Permission[], at = app) =>
    callerOf(at, edgeKey, { tenantId, actor, permissions })
  const asTenant = (tenantId: string, permissions: readonly Permission[] = permissionNames) =>
    as(tenantId, { type: 'api_key', id: randomUUID() }, permissions)
  const asService = (id: 'payment-proxy' | 'webhooks', at = app) => as(null, { type: 'service', id }, [], at)
  return {
    app,
    db,
    deps,
    database,
    edgeKey,
    vaultKeys,
    appWith: (vault: Vault) => createApp({ ...deps, vault }),
    rows,
    asTenant,
    asService,
    asOperator: asOperator({ app, edgeKey }, businessUnitContract),
    /** A new tenant with one unit. */
    unit: async (fields: object = {}) => {
      const tenantId = randomUUID()
      const tenant = asTenant(tenantId)
      const { status, body, text } = await tenant.post(units, draftUnit(fields))
      if (status !== 201) throw new Error(`${status} ${text}`)
      const unit = body as BusinessUnit
      const path = `${units}/${unit.id}`
      return { tenantId, tenant, unit, path, orchestrators: `${path}/payment-orchestrators` }
    },
    events: (tenantId: string) =>
      rows<EventRow>(
        `SELECT type, business_unit_id::text, trace_id::text, payload FROM outbox_events
         WHERE tenant_id = $1::uuid ORDER BY sequence`,
        tenantId,
      ),
    stop: async () => {
      await Promise.all([db.close(), owner.close()])
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestUnit = Awaited<ReturnType<World['unit']>>

export interface EventRow {
  type: string
  business_unit_id: string | null
  trace_id: string
  payload: { business_unit?: BusinessUnit; payment_orchestrator?: PaymentOrchestrator }
}

/** Creates a payment orchestrator of the unit. */
export async function created({ tenant, orchestrators }: TestUnit, body: object): Promise<PaymentOrchestrator> {
  const reply = await tenant.post(orchestrators, body)
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
  return reply.body as PaymentOrchestrator
}

/** Status and code of a response. */
export const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

type ActorClaim = { type: 'api_key' | 'user' | 'service'; id: string }
type Method = 'get' | 'post' | 'patch' | 'delete'

/** Calls the app like the gateway or a service, with an internal assertion for the request. */
function callerOf(
  app: App,
  edgeKey: KeyObject,
  claims: { tenantId: string | null; actor: ActorClaim; permissions: readonly Permission[] },
) {
  const send = (method: Method, path: string, body?: object, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const signed = { ...claims, traceId: randomUUID() }
    const call = { method: method.toUpperCase(), path, body: text }
    const assertion = signCall(businessUnitContract, edgeKey, signed, call)
    const sent = request(app)[method](path).set('Internal-Assertion', assertion).set(headers)
    return text === undefined ? sent : sent.type('application/json').send(text)
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object, headers = {}) => send('post', path, body, headers),
    patch: (path: string, body: object) => send('patch', path, body),
    delete: (path: string) => send('delete', path),
  }
}
