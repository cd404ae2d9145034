import { createSecretKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { client } from '@payments/chassis/client/client'
import { stopServer } from '@payments/chassis/process/serve'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { localVault } from '@payments/testing/services/local-vault'
import { serviceWorld } from '@payments/testing/services/service-world'
import { createApp as createApiKey } from '../../api-key/src/app.ts'
import { openKeyValues } from '../../api-key/src/key-values/key-values.ts'
import { openDatabase as openApiKeyDatabase } from '../../api-key/src/store/database.ts'
import { assignRoles } from '../../api-key/src/verbs/assign-roles.ts'
import { createKey } from '../../api-key/src/verbs/create-key.ts'
import { createApp as createIdentity } from '../../identity/src/app.ts'
import { sessionTokens } from '../../identity/src/session/session-tokens.ts'
import { sessionValues } from '../../identity/src/session/session-values.ts'
import { openDatabase as openIdentityDatabase } from '../../identity/src/store/database.ts'
import { apiKeyAt, identityAt, startWorld } from './world.ts'

/**
 * A real rbac, a real api-key and a real identity, each on a private database, that call each other over HTTP.
 * `duringCall` runs when rbac counts the keys of a role, before api-key receives the request: between the mark and the
 * deletion.
 */
export async function startConnectedWorld() {
  const apps: Record<'rbac' | 'apiKey' | 'identity', RequestListener> = {
    rbac: () => {},
    apiKey: () => {},
    identity: () => {},
  }
  let interrupt: (() => Promise<unknown>) | undefined
  const rbacServer = await listen((request, response) => apps.rbac(request, response))
  const apiKeyServer = await listen(async (request, response) => {
    if (request.method === 'GET' && /^\/internal\/tenants\/[^/]+\/roles\//.test(request.url ?? '')) await interrupt?.()
    apps.apiKey(request, response)
  })
  const identityServer = await listen((request, response) => apps.identity(request, response))
  const [apiKey, identity] = await Promise.all([
    serviceWorld(apiKeyContract, openApiKeyDatabase),
    serviceWorld(identityContract, openIdentityDatabase),
  ])
  const world = await startWorld({
    apiKey: apiKeyAt(apiKeyServer.url, apiKey.edgeKey),
    identity: identityAt(identityServer.url, identity.edgeKey),
  })
  apps.rbac = world.app
  const calls = { keys: new Map([['rbac', world.edgeKey]]), baseUrl: rbacServer.url, timeoutMs: 20_000 }
  const apiKeyDeps = {
    ...apiKey.deps,
    rbac: client(rbacContract, { self: 'api-key', ...calls }),
    values: openKeyValues(keyConfig(), apiKey.db, apiKey.deps.metrics.registry),
  }
  const apiKeyApp = createApiKey(apiKeyDeps)
  const identityApp = createIdentity(identityDeps(identity, client(rbacContract, { self: 'identity', ...calls })))
  apps.apiKey = apiKeyApp
  apps.identity = identityApp
  return {
    ...world,
    /** A user with every permission, at api-key. */
    apiKeyAs: (tenantId: string) => apiKey.createCallers(apiKeyApp).asUser(tenantId),
    /** A user with every permission, at identity. */
    identityAs: (tenantId: string) => identity.createCallers(identityApp).asUser(tenantId),
    /** A key with exactly these roles, created by a user with every permission. */
    key: async (tenantId: string, roleIds: string[]) => {
      const actor = { type: 'user', id: randomUUID() } as const
      const permissions = new Set(permissionNames)
      const ids = {
        tenantId,
        traceId: randomUUID(),
        sessionId: null,
        isSessionToken: false,
        roleIds: null,
        roleNames: null,
        idempotency: null,
      }
      const caller = { ...ids, actor, permissions }
      const draft = { name: 'a key', description: '', expiresAt: null, allowedCidrs: [] }
      const { id } = await createKey(apiKeyDeps, caller, draft)
      return assignRoles(apiKeyDeps, caller, id, roleIds)
    },
    detach: (tenantId: string) =>
      apiKey.db.inTenant(tenantId, (tx) =>
        tx.$executeRawUnsafe('DELETE FROM key_roles WHERE tenant_id = $1::uuid', tenantId),
      ),
    /** A user of the tenant with these roles. */
    user: (tenantId: string, roleIds: string[], { enabled = true } = {}) =>
      identity.rows(
        `WITH person AS (INSERT INTO users (id) VALUES (gen_random_uuid()) RETURNING id)
         INSERT INTO memberships (tenant_id, user_id, role_ids, enabled, created_by)
         SELECT $1::uuid, id, $2::uuid[], $3, 'test' FROM person RETURNING user_id::text`,
        tenantId,
        roleIds,
        enabled,
      ),
    removeUsers: (tenantId: string) =>
      identity.rows('DELETE FROM memberships WHERE tenant_id = $1::uuid RETURNING user_id::text', tenantId),
    duringCall: (work: (() => Promise<unknown>) | undefined) => {
      interrupt = work
    },
    stop: async () => {
      await Promise.all([rbacServer, apiKeyServer, identityServer].map(({ server }) => stopServer(server, 0)))
      await Promise.all([apiKey.stop(), identity.stop(), world.stop()])
    },
  }
}

export type ConnectedWorld = Awaited<ReturnType<typeof startConnectedWorld>>

async function listen(app: RequestListener) {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const secrets = () => new Map([['test', createSecretKey(randomBytes(32))]])

const keyConfig = () => ({
  ENVIRONMENT: 'dev' as const,
  VAULT_KEYS: secrets(),
  VAULT_KEY_CURRENT: 'test',
  API_KEY_PEPPERS: secrets(),
  API_KEY_PEPPER_CURRENT: 'test',
})

/** No user signs in here: without sign-in providers, and with an api-key and a communication that nothing reaches. */
function identityDeps(
  { deps }: Awaited<ReturnType<typeof serviceWorld<ReturnType<typeof openIdentityDatabase>>>>,
  rbac: Parameters<typeof createIdentity>[0]['rbac'],
): Parameters<typeof createIdentity>[0] {
  const keys = new Map(['api-key', 'communication'].map((callee) => [callee, createSecretKey(randomBytes(32))]))
  const unreached = { self: 'identity', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 } as const
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tokenKeys = { test: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64') }
  return {
    ...deps,
    environment: 'dev',
    consoleOrigin: 'http://127.0.0.1:8080',
    vault: localVault(deps).vault,
    rbac,
    apiKey: client(apiKeyContract, unreached),
    communication: client(communicationContract, unreached),
    mails: { wake: () => {} },
    sessionValues: sessionValues('dev', { keys: secrets(), current: 'test' }),
    sessionTokens: sessionTokens('dev', tokenKeys, 'test'),
    providers: { list: [], find: () => undefined, byIssuer: () => undefined },
    sessionLimits: { idleMs: 60_000, lifetimeMs: 120_000 },
  }
}
