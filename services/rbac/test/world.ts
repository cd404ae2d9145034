import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { client } from '@payments/chassis/client/client'
import type { Permission } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import type { Caller } from '@payments/testing/calls/caller'
import { serviceWorld } from '@payments/testing/services/service-world'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { openDatabase } from '../src/store/database.ts'

/** A real rbac on a private database. Services that are not given are unavailable. */
export async function startWorld(callees: Partial<Pick<Deps, 'apiKey' | 'identity'>> = {}) {
  const service = await serviceWorld(rbacContract, openDatabase)
  const deps: Deps = { ...service.deps, ...unavailable, ...callees }
  const app = createApp(deps)
  const callers = service.createCallers(app)
  const asService = callers.asService('gateway')
  const asApiKey = callers.asService('api-key')
  /** The response to the creation of a tenant. */
  const onboard = async (name = 'Acme') => {
    const reply = await asService.post('/internal/tenants', { name })
    if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
    return reply.body as { tenant: { id: string }; roles: { id: string; name: string }[] }
  }
  return {
    ...service,
    app,
    deps,
    asService,
    asApiKey,
    asOperator: callers.asOperator(),
    asTenant: (tenantId: string, permissions?: readonly Permission[]) =>
      withRoles(callers.asTenant(tenantId, permissions)),
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
        /** A user with a token, whose roles the token names. */
        by: (permissions?: readonly Permission[]) => withRoles(callers.asUser(id, permissions)),
        /** A user with a session. */
        bySession: (roleIds: readonly string[], permissions?: readonly Permission[]) =>
          withRoles(callers.asSession(id, { userId: randomUUID(), sessionId: randomUUID(), roleIds }, permissions)),
        byKey: (keyId: string, permissions?: readonly Permission[]) =>
          withRoles(callers.asTenant(id, permissions, { type: 'api_key', id: keyId })),
        resolve: async (query: object) =>
          (await asApiKey.post(`/internal/tenants/${id}/resolve-roles`, query)).body as {
            permissions: string[]
            unknown: string[]
          },
        events: () => service.events(id),
      }
    },
    /** The epoch, and the invalidations after `since`. */
    epoch: (since?: number) => service.db.versions.read(since),
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<World['tenant']>>

/** The client of rbac for an api-key that verifies rbac with `key`. */
export function apiKeyAt(baseUrl: string, key: KeyObject): Deps['apiKey'] {
  return client(apiKeyContract, { self: 'rbac', baseUrl, keys: new Map([['api-key', key]]), timeoutMs: 20_000 })
}

/** As apiKeyAt, for identity. */
export function identityAt(baseUrl: string, key: KeyObject): Deps['identity'] {
  return client(identityContract, { self: 'rbac', baseUrl, keys: new Map([['identity', key]]), timeoutMs: 20_000 })
}

const nowhere = 'http://127.0.0.1:1'
const anyKey = createSecretKey(randomBytes(32))
const unavailable = { apiKey: apiKeyAt(nowhere, anyKey), identity: identityAt(nowhere, anyKey) }

/** The requests about roles. */
const withRoles = (caller: Caller) => ({
  ...caller,
  create: (body: object = {}, idempotencyKey?: string) => {
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
    return caller.post('/v1/rbac/roles', { name: `role ${randomUUID()}`, permissions: [], ...body }, headers)
  },
  read: (roleId: string) => caller.get(`/v1/rbac/roles/${roleId}`),
  list: () => caller.get('/v1/rbac/roles?limit=200'),
  update: (roleId: string, body: object) => caller.put(`/v1/rbac/roles/${roleId}`, body),
  remove: (roleId: string) => caller.delete(`/v1/rbac/roles/${roleId}`),
})
