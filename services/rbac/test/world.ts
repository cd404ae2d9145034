import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { App } from '@payments/chassis/request/app'
import type { Permission } from '@payments/contracts/grammar/permission'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { signCall } from '@payments/testing/calls/signed-call'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { openConnections } from '@payments/testing/database/open-connections'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { openDatabase } from '../src/store/database.ts'

export const edgeKey = createSecretKey(randomBytes(32))
export const log = createLog('rbac', 'fatal')

/** A real rbac on a private database. Without `apiKey`, api-key is unavailable. */
export async function startWorld(apiKey: Deps['apiKey'] = apiKeyAt('http://127.0.0.1:1')) {
  const database = await privateDatabase('rbac')
  const db = openDatabase(database.url, testPool)
  // With the role that owns the tables, for rows that no service returns.
  const owner = openDatabase(database.ownerUrl, testPool)
  const keys = keysOfEveryProcess(edgeKey)
  const deps: Deps = { db, apiKey, brokerCheck: async () => null, keys, log, metrics: createMetrics('rbac') }
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
    owner.acrossTenants((tx) => tx.$queryRawUnsafe<R[]>(sql, ...values))
  const asService = caller(app, { type: 'service', id: 'gateway' }, null, [])
  const asApiKey = caller(app, { type: 'service', id: 'api-key' }, null, [])
  const asTenant = (
    tenantId: string,
    permissions: readonly Permission[] = permissionNames,
    actor: ActorClaim = { type: 'api_key', id: randomUUID() },
  ) => caller(app, actor, tenantId, permissions)
  /** The response to the creation of a tenant. */
  const onboard = async (name = 'Acme') => {
    const reply = await asService.post('/internal/tenants', { name })
    if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
    return reply.body as { tenant: { id: string }; roles: { id: string; name: string }[] }
  }
  return {
    app,
    deps,
    edgeKey,
    database,
    db,
    rows,
    asService,
    asApiKey,
    asTenant,
    onboard,
    /** A new tenant and its callers. */
    tenant: async () => {
      const { tenant, roles } = await onboard()
      const { id } = tenant
      const builtIn = new Map(roles.map((role) => [role.name, role.id]))
      return {
        id,
        adminRole: builtIn.get('admin') ?? '',
        viewerRole: builtIn.get('viewer') ?? '',
        by: (permissions?: readonly Permission[]) => asTenant(id, permissions),
        /** A user with a token, whose roles are not in api-key. */
        byUser: (permissions?: readonly Permission[]) => asTenant(id, permissions, { type: 'user', id: randomUUID() }),
        byKey: (keyId: string, permissions?: readonly Permission[]) =>
          asTenant(id, permissions, { type: 'api_key', id: keyId }),
        resolve: async (query: object) =>
          (await asApiKey.post(`/internal/tenants/${id}/resolve-roles`, query)).body as {
            permissions: string[]
            unknown: string[]
          },
        events: () =>
          rows<{ type: string; payload: Record<string, unknown>; business_unit_id: string | null }>(
            'SELECT type, payload, business_unit_id FROM outbox_events WHERE tenant_id = $1::uuid ORDER BY sequence',
            id,
          ),
      }
    },
    epoch: async (since?: number) => {
      const reply = await asService.get(
        `/internal/authorization-version${since === undefined ? '' : `?since=${since}`}`,
      )
      return reply.body as { incarnation: string; epoch: number; invalidated: { kind: string; id: string }[] | null }
    },
    stop: async () => {
      await Promise.all([db.close(), owner.close()])
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<World['tenant']>>

export function apiKeyAt(baseUrl: string): Deps['apiKey'] {
  return client(apiKeyContract, { self: 'rbac', baseUrl, keys: new Map([['api-key', edgeKey]]), timeoutMs: 20_000 })
}

type ActorClaim = { type: 'api_key' | 'user' | 'service'; id: string }

/** Calls the app like the gateway, with an internal assertion for the request. */
function caller(app: App, actor: ActorClaim, tenantId: string | null, permissions: readonly Permission[]) {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const claims = { tenantId, actor, permissions, traceId: randomUUID() }
    const assertion = signCall(rbacContract, edgeKey, claims, { method: method.toUpperCase(), path, body: text })
    const sent = request(app)[method](path).set('Internal-Assertion', assertion).set(headers)
    return text === undefined ? sent : sent.type('application/json').send(text)
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object = {}) => send('post', path, body),
    create: (body: object = {}, idempotencyKey?: string) => {
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      return send('post', '/v1/rbac/roles', { name: `role ${randomUUID()}`, permissions: [], ...body }, headers)
    },
    read: (roleId: string) => send('get', `/v1/rbac/roles/${roleId}`),
    list: () => send('get', '/v1/rbac/roles?limit=200'),
    update: (roleId: string, body: object) => send('put', `/v1/rbac/roles/${roleId}`, body),
    remove: (roleId: string) => send('delete', `/v1/rbac/roles/${roleId}`),
  }
}
