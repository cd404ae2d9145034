import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import type { App } from '@payments/chassis/request/app'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract, type KeyIdentity } from '@payments/contracts/services/api-key/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { signCall } from '@payments/testing/calls/signed-call'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { openConnections } from '@payments/testing/database/open-connections'
import { openVault } from '@payments/vault/open'
import type { Vault } from '@payments/vault/vault'
import request from 'supertest'
import { createApp as createRbac } from '../../rbac/src/app.ts'
import { openDatabase as openRbacDatabase } from '../../rbac/src/store/database.ts'
import { insertRoles, markDeleting } from '../../rbac/src/store/roles.ts'
import { createApp } from '../src/app.ts'
import type { Peppers } from '../src/domain/key-value.ts'
import { keyValues } from '../src/key-values/key-values.ts'
import { openDatabase } from '../src/store/database.ts'

const secretKey = () => createSecretKey(randomBytes(32))
const edgeKey = secretKey()
const log = createLog('api-key', 'fatal')

/** A real api-key and a real rbac, each on a private database. */
export async function startWorld() {
  const rbac = await startRbac()
  const database = await privateDatabase('api-key')
  const db = openDatabase(database.url, testPool)
  // With the role that owns the tables, for rows that no service returns.
  const owner = openDatabase(database.ownerUrl, testPool)
  const peppers = { keys: new Map([['old', secretKey()]]), current: 'old' }
  const vaultKeys = new Map([['k1', secretKey()]])
  const metrics = createMetrics('api-key')
  const vault = openVault({ VAULT_KEYS: vaultKeys, VAULT_KEY_CURRENT: 'k1' }, db, metrics.registry)
  const deps = {
    db,
    rbac: rbac.client,
    values: keyValues({ environment: 'dev', peppers, vault }),
    brokerCheck: async () => null,
    keys: keysOfEveryProcess(edgeKey),
    log,
    metrics,
  }
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
    owner.acrossTenants((tx) => tx.$queryRawUnsafe<R[]>(sql, ...values))
  return {
    app,
    db,
    deps,
    edgeKey,
    database,
    peppers,
    vaultKeys,
    rows,
    appWith: (other: Vault) => createApp({ ...deps, values: keyValues({ environment: 'dev', peppers, vault: other }) }),
    /** The app of a process with these peppers. */
    appWithPeppers: (ring: Peppers) =>
      createApp({ ...deps, values: keyValues({ environment: 'dev', peppers: ring, vault }) }),
    userOf: (through: App, tenantId: string) =>
      caller(through, { type: 'user', id: randomUUID() }, tenantId, permissionNames),
    service: (through: App) => caller(through, { type: 'service', id: 'payctl' }, null, []),
    /** The epoch, and the invalidations after `since`. */
    epoch: async (since?: number): Promise<AuthorizationVersionReply> => {
      const path = `/internal/authorization-version${since === undefined ? '' : `?since=${since}`}`
      return (await caller(app, { type: 'service', id: 'gateway' }, null, []).send('get', path)).body
    },
    rbac,
    asService: caller(app, { type: 'service', id: 'gateway' }, null, []),
    /** A new tenant with the built-in roles, and its callers. */
    tenant: async (through: App = app) => {
      const { tenant, roles } = await rbac.asPayctl.createTenant({ traceId: randomUUID() }, { body: { name: 'Acme' } })
      const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? ''
      const as = (actor: ActorClaim, permissions: readonly Permission[] = permissionNames) =>
        caller(through, actor, tenant.id, permissions)
      return {
        id: tenant.id,
        adminRole: roleId('admin'),
        viewerRole: roleId('viewer'),
        as,
        /** A user with every permission, or with the given ones. */
        by: (permissions?: readonly Permission[]) => as({ type: 'user', id: randomUUID() }, permissions),
        role: (permissions: readonly Permission[], name?: string) => rbac.role(tenant.id, permissions, name),
        suspend: () => rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: tenant.id } }),
        events: () =>
          rows<{ type: string; payload: Record<string, unknown> }>(
            'SELECT type, payload FROM outbox_events WHERE tenant_id = $1::uuid ORDER BY sequence',
            tenant.id,
          ),
      }
    },
    stop: async () => {
      await Promise.all([db.close(), owner.close()])
      await database.drop()
      await rbac.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<World['tenant']>>

/** A real rbac that listens, and the client of api-key for it. */
async function startRbac() {
  const database = await privateDatabase('rbac')
  const db = openRbacDatabase(database.url, testPool)
  const key = secretKey()
  // Called only by the deletion of a role, which no test here does.
  const apiKey = client(apiKeyContract, {
    self: 'rbac',
    baseUrl: 'http://127.0.0.1:1',
    keys: new Map([['api-key', key]]),
    timeoutMs: 500,
  })
  const app = createRbac({
    db,
    apiKey,
    brokerCheck: async () => null,
    keys: keysOfEveryProcess(key),
    log,
    metrics: createMetrics('rbac'),
  })
  const server = createAppServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const to = { baseUrl, keys: new Map([['rbac', key]]), timeoutMs: 20_000 }
  return {
    client: client(rbacContract, { self: 'api-key', ...to }),
    asPayctl: client(rbacContract, { self: 'payctl', operator: 'operator@example.com', ...to }),
    /** A custom role. */
    role: async (
      tenantId: string,
      permissions: readonly Permission[],
      name: string = randomUUID(),
    ): Promise<string> => {
      const role = { name, description: '', kind: 'custom' as const, permissions: [...permissions] }
      const [created] = await db.inTenant(tenantId, (tx) => insertRoles(tx, tenantId, [{ id: newId(), ...role }]))
      return created?.id ?? ''
    },
    markDeleting: (tenantId: string, roleId: string) =>
      db.inTenant(tenantId, (tx) => markDeleting(tx, tenantId, roleId, 30)),
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

export type ActorClaim = { type: 'api_key' | 'user' | 'service'; id: string }

/** Calls the app like the gateway, with an internal assertion for the request. */
function caller(app: App, actor: ActorClaim, tenantId: string | null, permissions: readonly Permission[]) {
  const send = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const claims = { tenantId, actor, permissions, traceId: randomUUID() }
    const assertion = signCall(apiKeyContract, edgeKey, claims, { method: method.toUpperCase(), path, body: text })
    const sent = request(app)[method](path).set('Internal-Assertion', assertion).set(headers)
    return text === undefined ? sent : sent.type('application/json').send(text)
  }
  const path = (keyId: string, rest = '') => `/v1/api-key/keys/${keyId}${rest}`
  return {
    actor,
    send,
    create: (body: object = {}, idempotencyKey?: string) => {
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      return send('post', '/v1/api-key/keys', { name: 'a key', ...body }, headers)
    },
    list: (query = '') => send('get', `/v1/api-key/keys${query}`),
    read: (keyId: string) => send('get', path(keyId)),
    readOwn: () => send('get', path('self')),
    reveal: (keyId: string) => send('get', path(keyId, '/reveal')),
    update: (keyId: string, body: object) => send('patch', path(keyId), body),
    assign: (keyId: string, roleIds: readonly string[]) => send('put', path(keyId, '/roles'), { role_ids: roleIds }),
    rotate: (keyId: string, graceSeconds?: number, idempotencyKey?: string) => {
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      const body = graceSeconds === undefined ? {} : { grace_period_seconds: graceSeconds }
      return send('post', path(keyId, '/rotate'), body, headers)
    },
    permissions: (keyId: string, query = '') => send('get', path(keyId, `/permissions${query}`)),
    remove: (keyId: string) => send('delete', path(keyId)),
    identify: (hashed: string) => send('post', '/internal/keys/identify', { key_hash: hashed }),
    /** The identity of the key with a value. */
    identityOf: async (value: string) =>
      (await send('post', '/internal/keys/identify', { key_hash: keyHash(value) })).body.key as KeyIdentity | null,
    recordUses: (uses: readonly object[]) => send('post', '/internal/keys/uses', { uses }),
    rewrap: (body: object) => send('post', '/internal/secrets/rewrap', body),
    reencrypt: (body: object) => send('post', '/internal/secrets/reencrypt', body),
    rotatePepper: (body: object) => send('post', '/internal/secrets/rotate-pepper', body),
    countKeys: (tenantId: string) => send('get', `/internal/tenants/${tenantId}/keys`),
    countWithRole: (tenantId: string, roleId: string) =>
      send('get', `/internal/tenants/${tenantId}/roles/${roleId}/keys`),
    rolesOf: (tenantId: string, keyId: string) => send('get', `/internal/tenants/${tenantId}/keys/${keyId}/roles`),
    issueKey: (tenantId: string, body: object) => send('post', `/internal/tenants/${tenantId}/keys`, body),
  }
}
