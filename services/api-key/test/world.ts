import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Assertion } from '@payments/chassis/assertion/assertion'
import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import type { App } from '@payments/chassis/request/app'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract, type KeyIdentity } from '@payments/contracts/services/api-key/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import type { Caller } from '@payments/testing/calls/caller'
import { localVault } from '@payments/testing/services/local-vault'
import { serviceWorld } from '@payments/testing/services/service-world'
import type { Vault } from '@payments/vault/vault'
import { createApp as createRbac } from '../../rbac/src/app.ts'
import { openDatabase as openRbacDatabase } from '../../rbac/src/store/database.ts'
import { insertRoles, markDeleting } from '../../rbac/src/store/roles.ts'
import { createApp } from '../src/app.ts'
import type { Peppers } from '../src/domain/key-value.ts'
import { keyValues } from '../src/key-values/key-values.ts'
import { openDatabase } from '../src/store/database.ts'

/** A real api-key and a real rbac, each on a private database. */
export async function startWorld() {
  const rbac = await startRbac()
  const service = await serviceWorld(apiKeyContract, openDatabase)
  const { vault, vaultKeys } = localVault(service.deps)
  const peppers = { keys: new Map([['old', createSecretKey(randomBytes(32))]]), current: 'old' }
  const deps = { ...service.deps, rbac: rbac.client, values: keyValues({ environment: 'dev', peppers, vault }) }
  const app = createApp(deps)
  const asService = withKeys(service.createCallers(app).asService('gateway'))
  return {
    ...service,
    app,
    deps,
    peppers,
    vaultKeys,
    appWith: (other: Vault) => createApp({ ...deps, values: keyValues({ environment: 'dev', peppers, vault: other }) }),
    /** The app of a process with these peppers. */
    appWithPeppers: (ring: Peppers) =>
      createApp({ ...deps, values: keyValues({ environment: 'dev', peppers: ring, vault }) }),
    asUserOfTenant: (through: App, tenantId: string) => withKeys(service.createCallers(through).asUser(tenantId)),
    service: (through: App) => withKeys(service.createCallers(through).asService('payctl')),
    /** The epoch, and the invalidations after `since`. */
    epoch: (since?: number) => service.db.versions.read(since),
    rbac,
    asService,
    asOperator: service.createCallers(app).asOperator(),
    /** A new tenant with the built-in roles, and its callers. */
    tenant: async (through: App = app) => {
      const { tenant, roles } = await rbac.asPayctl.createTenant({ traceId: randomUUID() }, { body: { name: 'Acme' } })
      const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? ''
      const { asTenant, asUser } = service.createCallers(through)
      return {
        id: tenant.id,
        adminRole: roleId('admin'),
        viewerRole: roleId('viewer'),
        as: (actor: Assertion['actor'], permissions: readonly Permission[] = permissionNames) =>
          withKeys(asTenant(tenant.id, permissions, actor)),
        /** A key at an endpoint for every credential. */
        asKey: (id: string, permissions: readonly Permission[], roles: Pick<Assertion, 'roleIds' | 'roleNames'>) =>
          withKeys(asTenant(tenant.id, permissions, { type: 'api_key', id }, roles)),
        /** A user with every permission, or with the given ones. */
        by: (permissions?: readonly Permission[]) => withKeys(asUser(tenant.id, permissions)),
        role: (permissions: readonly Permission[], name?: string) => rbac.role(tenant.id, permissions, name),
        suspend: () => rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: tenant.id } }),
        events: () => service.events(tenant.id),
      }
    },
    stop: async () => {
      await service.stop()
      await rbac.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<World['tenant']>>

/** A real rbac that listens, and the client of api-key for it. */
async function startRbac() {
  const service = await serviceWorld(rbacContract, openRbacDatabase)
  const { db, edgeKey } = service
  // Called only by edits and deletions of roles, which no test here does.
  const keys = new Map(['api-key', 'identity'].map((callee) => [callee, edgeKey]))
  const unreached = { self: 'rbac', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 } as const
  const callees = { apiKey: client(apiKeyContract, unreached), identity: client(identityContract, unreached) }
  const server = createAppServer(createRbac({ ...service.deps, ...callees }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const to = { baseUrl, keys: new Map([['rbac', edgeKey]]), timeoutMs: 20_000 }
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
      await service.stop()
    },
  }
}

/** The requests about keys. */
function withKeys(caller: Caller) {
  const path = (keyId: string, rest = '') => `/v1/api-key/keys/${keyId}${rest}`
  return {
    ...caller,
    create: (body: object = {}, idempotencyKey?: string) => {
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      return caller.post('/v1/api-key/keys', { name: 'a key', ...body }, headers)
    },
    list: (query = '') => caller.get(`/v1/api-key/keys${query}`),
    read: (keyId: string) => caller.get(path(keyId)),
    readOwn: () => caller.get(path('self')),
    reveal: (keyId: string) => caller.get(path(keyId, '/reveal')),
    update: (keyId: string, body: object) => caller.patch(path(keyId), body),
    assign: (keyId: string, roleIds: readonly string[]) => caller.put(path(keyId, '/roles'), { role_ids: roleIds }),
    rotate: (keyId: string, graceSeconds?: number, idempotencyKey?: string) => {
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      const body = graceSeconds === undefined ? {} : { grace_period_seconds: graceSeconds }
      return caller.post(path(keyId, '/rotate'), body, headers)
    },
    permissions: (keyId: string, query = '') => caller.get(path(keyId, `/permissions${query}`)),
    remove: (keyId: string) => caller.delete(path(keyId)),
    identify: (hashed: string) => caller.post('/internal/keys/identify', { key_hash: hashed }),
    /** The identity of the key with a value. */
    identifyValue: async (value: string) =>
      (await caller.post('/internal/keys/identify', { key_hash: keyHash(value) })).body.key as KeyIdentity | null,
    recordUses: (uses: readonly object[]) => caller.post('/internal/keys/uses', { uses }),
    rewrap: (body: object) => caller.post('/internal/secrets/rewrap', body),
    reencrypt: (body: object) => caller.post('/internal/secrets/reencrypt', body),
    rotatePepper: (body: object) => caller.post('/internal/secrets/rotate-pepper', body),
    countKeys: (tenantId: string) => caller.get(`/internal/tenants/${tenantId}/keys`),
    countWithRole: (tenantId: string, roleId: string) =>
      caller.get(`/internal/tenants/${tenantId}/roles/${roleId}/keys`),
    readRoles: (tenantId: string, keyId: string) => caller.get(`/internal/tenants/${tenantId}/keys/${keyId}/roles`),
    issueKey: (tenantId: string, body: object) => caller.post(`/internal/tenants/${tenantId}/keys`, body),
  }
}
