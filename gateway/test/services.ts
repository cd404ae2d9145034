import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import { type Client, client } from '@payments/chassis/client/client'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { localProvider } from '@payments/vault/local-provider'
import { storedDataKeys } from '@payments/vault/stored-data-keys'
import { createVault } from '@payments/vault/vault'
import { pino } from 'pino'
import { createApp as createApiKey } from '../../services/api-key/src/app.ts'
import { keyValues } from '../../services/api-key/src/key-values/key-values.ts'
import { openDatabase as openApiKeyDatabase } from '../../services/api-key/src/store/database.ts'
import { assignRoles } from '../../services/api-key/src/verbs/assign-roles.ts'
import { createKey } from '../../services/api-key/src/verbs/create-key.ts'
import { createApp as createRbac } from '../../services/rbac/src/app.ts'
import { openDatabase as openRbacDatabase } from '../../services/rbac/src/store/database.ts'
import { insertRoles } from '../../services/rbac/src/store/roles.ts'

const loopback = { host: '127.0.0.1', port: 0 }
const silent = pino({ level: 'silent' })

/** A client with the calls of payctl and of the gateway, each signed by the process that may send it. */
function asEachCaller<C>(as: (self: string) => C): C {
  return Object.assign({}, as('payctl'), as('gateway'))
}

/** Every call of payctl names its operator. */
function operatorOptions(self: string) {
  return self === 'payctl' ? { operator: 'operator@example.com' } : {}
}

type Edges = ReadonlyMap<string, KeyObject>

export function requireKey(edges: Edges, service: string): KeyObject {
  const key = edges.get(service)
  if (key === undefined) throw new Error(`no assertion key is configured for ${service}`)
  return key
}

/** Starts rbac. Its peers call rbac too, so their URLs are read at each call. */
export async function startRbac(edges: Edges, peers: { apiKeyUrl: () => string; identityUrl: () => string }) {
  const database = await privateDatabase('rbac')
  const db = openRbacDatabase(database.url, testPool)
  const keys = keysOfEveryProcess(requireKey(edges, 'rbac'))
  const call = { self: 'rbac', keys: edges, timeoutMs: 20_000 } as const
  const apiKeyClient = () => client(apiKey, { ...call, baseUrl: peers.apiKeyUrl() })
  const identityClient = () => client(identityContract, { ...call, baseUrl: peers.identityUrl() })
  const apiKeyCalls: Pick<Client<typeof apiKey, 'rbac'>, 'countKeysWithRole' | 'readKeyRoles'> = {
    countKeysWithRole: (...given) => apiKeyClient().countKeysWithRole(...given),
    readKeyRoles: (...given) => apiKeyClient().readKeyRoles(...given),
  }
  const identityCalls: Pick<Client<typeof identityContract, 'rbac'>, 'countRoleMembers' | 'readMemberRoles'> = {
    countRoleMembers: (...given) => identityClient().countRoleMembers(...given),
    readMemberRoles: (...given) => identityClient().readMemberRoles(...given),
  }
  const app = createRbac({
    db,
    apiKey: apiKeyCalls,
    identity: identityCalls,
    brokerCheck: async () => null,
    keys,
    log: silent,
    metrics: createMetrics('rbac'),
  })
  const server = createAppServer(app)
  const url = `http://127.0.0.1:${await listen(server, loopback)}`
  return {
    url,
    server,
    client: asEachCaller((self) =>
      client(rbac, { self, ...operatorOptions(self), baseUrl: url, keys: edges, timeoutMs: 20_000 }),
    ),
    /** Creates a custom role. */
    role: async (
      tenantId: string,
      permissions: readonly Permission[],
      name: string = randomUUID(),
    ): Promise<{ id: string; name: string }> => {
      const role = { name, description: '', kind: 'custom' as const, permissions: [...permissions] }
      const [created] = await db.inTenant(tenantId, (tx) => insertRoles(tx, tenantId, [{ id: newId(), ...role }]))
      return { id: String(created?.id), name: role.name }
    },
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

export async function startApiKey(edges: Edges, rbacUrl: string) {
  const database = await privateDatabase('api-key')
  const db = openApiKeyDatabase(database.url, testPool)
  const secret = () => ({ keys: new Map([['1', createSecretKey(randomBytes(32))]]), current: '1' })
  const vault = createVault({ provider: localProvider(secret()), dataKeys: storedDataKeys(db) })
  const deps = {
    db,
    rbac: client(rbac, { self: 'api-key', baseUrl: rbacUrl, keys: edges, timeoutMs: 20_000 }),
    values: keyValues({ environment: 'dev', peppers: secret(), vault }),
    brokerCheck: async () => null,
    keys: keysOfEveryProcess(requireKey(edges, 'api-key')),
    log: silent,
    metrics: createMetrics('api-key'),
  }
  const server = createAppServer(createApiKey(deps))
  const url = `http://127.0.0.1:${await listen(server, loopback)}`
  return {
    url,
    server,
    client: asEachCaller((self) =>
      client(apiKey, { self, ...operatorOptions(self), baseUrl: url, keys: edges, timeoutMs: 20_000 }),
    ),
    /** Creates a key with these roles, as a user with every permission. */
    keyWithRoles: async (tenantId: string, roleIds: readonly string[]) => {
      const actor = { type: 'user', id: randomUUID() } as const
      const caller = {
        tenantId,
        actor,
        permissions: new Set(permissionNames),
        traceId: randomUUID(),
        sessionId: null,
        isSessionToken: false,
        roleIds: null,
        roleNames: null,
        idempotency: null,
      }
      const draft = { name: 'a key', description: '', expiresAt: null, allowedCidrs: [] }
      const created = await createKey(deps, caller, draft)
      await assignRoles(deps, caller, created.id, roleIds)
      return created
    },
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

export type RbacService = Awaited<ReturnType<typeof startRbac>>
type Services = [RbacService, Awaited<ReturnType<typeof startApiKey>>]

/** Creates a tenant with an admin key. `keyWith` creates further keys with exactly these permissions. */
export async function createTenant(...[rbacService, apiKeyService]: Services) {
  const context = { traceId: randomUUID() }
  const { tenant, roles } = await rbacService.client.createTenant(context, { body: { name: 'Acme' } })
  const keyWithRole = async (roleId: string) => {
    const { id, value } = await apiKeyService.keyWithRoles(tenant.id, [roleId])
    return { id, bearer: value, tenantId: tenant.id }
  }
  const adminRole = String(roles.find(({ name }) => name === 'admin')?.id)
  return {
    id: tenant.id,
    adminRole,
    admin: await keyWithRole(adminRole),
    keyWith: async (permissions: readonly Permission[]) =>
      keyWithRole((await rbacService.role(tenant.id, permissions)).id),
    suspend: () => rbacService.client.suspendTenant(context, { params: { tenant_id: tenant.id } }),
  }
}
