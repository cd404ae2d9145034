import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { client } from '@payments/chassis/client/client'
import { stopServer } from '@payments/chassis/process/serve'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { serviceWorld } from '@payments/testing/services/service-world'
import { createApp as createApiKey } from '../../api-key/src/app.ts'
import { openKeyValues } from '../../api-key/src/key-values/key-values.ts'
import { openDatabase as openApiKeyDatabase } from '../../api-key/src/store/database.ts'
import { assignRoles } from '../../api-key/src/verbs/assign-roles.ts'
import { createKey } from '../../api-key/src/verbs/create-key.ts'
import { apiKeyAt, startWorld } from './world.ts'

/**
 * A real rbac and a real api-key, each on a private database, that call each other over HTTP. `interrupt` runs when
 * rbac counts the keys of a role, before api-key receives the request: between the mark and the deletion.
 */
export async function startWorldWithApiKey() {
  let rbacApp: RequestListener = () => {}
  let apiKeyApp: RequestListener = () => {}
  let interrupt: (() => Promise<unknown>) | undefined
  const rbacServer = createServer((request, response) => rbacApp(request, response))
  const apiKeyServer = createServer(async (request, response) => {
    if (request.method === 'GET' && /^\/internal\/tenants\/[^/]+\/roles\//.test(request.url ?? '')) await interrupt?.()
    apiKeyApp(request, response)
  })
  const listening = [rbacServer, apiKeyServer].map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  const [rbacUrl = '', apiKeyUrl = ''] = await Promise.all(listening)
  const apiKey = await serviceWorld(apiKeyContract, openApiKeyDatabase)
  const { db } = apiKey
  const world = await startWorld(apiKeyAt(apiKeyUrl, apiKey.edgeKey))
  rbacApp = world.app
  const secrets = () => new Map([['test', createSecretKey(randomBytes(32))]])
  const config = {
    ENVIRONMENT: 'dev' as const,
    VAULT_KEYS: secrets(),
    VAULT_KEY_CURRENT: 'test',
    API_KEY_PEPPERS: secrets(),
    API_KEY_PEPPER_CURRENT: 'test',
  }
  const deps = {
    ...apiKey.deps,
    rbac: client(rbacContract, {
      self: 'api-key',
      baseUrl: rbacUrl,
      keys: new Map([['rbac', world.edgeKey]]),
      timeoutMs: 20_000,
    }),
    values: openKeyValues(config, db, apiKey.deps.metrics.registry),
  }
  apiKeyApp = createApiKey(deps)
  return {
    ...world,
    /** A key with exactly these roles, created by a user with every permission. */
    key: async (tenantId: string, roleIds: string[]) => {
      const actor = { type: 'user', id: randomUUID() } as const
      const caller = {
        tenantId,
        actor,
        permissions: new Set(permissionNames),
        traceId: randomUUID(),
        idempotency: null,
      }
      const draft = { name: 'a key', description: '', expiresAt: null, allowedCidrs: [] }
      const { id } = await createKey(deps, caller, draft)
      return assignRoles(deps, caller, id, roleIds)
    },
    detach: (tenantId: string) =>
      db.inTenant(tenantId, (tx) => tx.$executeRawUnsafe('DELETE FROM key_roles WHERE tenant_id = $1::uuid', tenantId)),
    duringCall: (work: (() => Promise<unknown>) | undefined) => {
      interrupt = work
    },
    stop: async () => {
      await Promise.all([stopServer(rbacServer, 0), stopServer(apiKeyServer, 0)])
      await apiKey.stop()
      await world.stop()
    },
  }
}

export type WorldWithApiKey = Awaited<ReturnType<typeof startWorldWithApiKey>>
