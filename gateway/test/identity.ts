import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import { outwaitLeases } from '@payments/chassis/database/authorization-lease'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { localVault } from '@payments/testing/services/local-vault'
import { pino } from 'pino'
import { createApp } from '../../services/identity/src/app.ts'
import { createSession } from '../../services/identity/src/session/create-session.ts'
import { sessionTokens } from '../../services/identity/src/session/session-tokens.ts'
import { sessionValues } from '../../services/identity/src/session/session-values.ts'
import { openDatabase } from '../../services/identity/src/store/database.ts'
import { insertMembership, updateMembership } from '../../services/identity/src/store/memberships.ts'
import { insertUser } from '../../services/identity/src/store/users.ts'
import { requireKey } from './services.ts'

const sessionLimits = { idleMs: 60 * 60_000, lifetimeMs: 12 * 60 * 60_000 }
const issuer = 'https://sign-in.example'

export interface Person {
  readonly tenantId: string
  readonly userId: string
  readonly sessionId: string
  readonly value: string
  /** A JWT of the session. */
  readonly token: () => Promise<string>
}

interface NewPerson {
  readonly tenantId: string
  readonly roleIds: readonly string[]
  readonly kind?: 'browser' | 'cli'
  readonly authenticatedSecondsAgo?: number
}

interface Peers {
  readonly rbacUrl: string
  readonly apiKeyUrl: string
  readonly communicationUrl: string
}

/**
 * Starts a real identity on a private database. Only internal requests reach it: `respond` gets every other request, so
 * that a test defines the responses of pages.
 */
export async function startIdentity(edges: ReadonlyMap<string, KeyObject>, peers: Peers, respond: RequestListener) {
  const database = await privateDatabase('identity')
  const db = openDatabase(database.url, testPool)
  const metrics = createMetrics('identity')
  const { privateKey: tokenKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const encoded = tokenKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const peppers = { keys: new Map([['1', createSecretKey(randomBytes(32))]]), current: '1' }
  const call = { self: 'identity', keys: edges, timeoutMs: 20_000 } as const
  const deps = {
    db,
    environment: 'dev',
    consoleOrigin: 'https://console.example.com',
    vault: localVault({ db, metrics }).vault,
    rbac: client(rbac, { ...call, baseUrl: peers.rbacUrl }),
    apiKey: client(apiKey, { ...call, baseUrl: peers.apiKeyUrl }),
    communication: client(communicationContract, { ...call, baseUrl: peers.communicationUrl }),
    mails: { wake: () => {} },
    sessionValues: sessionValues('dev', peppers),
    sessionTokens: sessionTokens('dev', { one: encoded }, 'one'),
    providers: { list: [], find: () => undefined, byIssuer: () => undefined },
    sessionLimits,
    brokerCheck: async () => null,
    keys: keysOfEveryProcess(requireKey(edges, 'identity')),
    log: pino({ level: 'silent' }),
    metrics,
  } as const
  const app = createApp(deps)
  const server = createAppServer(app)
  const internal = server.listeners('request')[0] as RequestListener
  server.removeAllListeners('request').on('request', (request, response) => {
    const isInternal = /^\/(?:internal\/|healthz)/.test(request.url ?? '')
    if (isInternal) internal(request, response)
    else respond(request, response)
  })
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const operator = client(identityContract, {
    self: 'payctl',
    operator: 'operator@example.com',
    baseUrl: url,
    keys: edges,
    timeoutMs: 20_000,
  })
  const context = { traceId: randomUUID() }
  return {
    url,
    server,
    tokenKey,
    /** Creates a user of the tenant with a session, as after a sign-in. */
    signIn: ({ tenantId, roleIds, kind = 'browser', authenticatedSecondsAgo = 0 }: NewPerson): Promise<Person> =>
      db.acrossTenants(async (tx) => {
        const userId = newId()
        await insertUser(tx, { id: userId, issuer, subject: userId, email: null, name: null })
        await insertMembership(tx, tenantId, { userId, roleIds, providerId: null, createdBy: 'test' })
        const authenticatedAt = new Date(Date.now() - authenticatedSecondsAgo * 1_000)
        const signedIn = { providerId: 'test', issuer, subject: userId, providerSessionId: null, authenticatedAt }
        const browser = { address: '127.0.0.1', userAgent: null }
        const opened = { userId, tenantId, kind, signedIn, browser, traceId: context.traceId }
        const { value, session } = await createSession(tx, deps, opened)
        const token = () =>
          deps.sessionTokens.sign({ sessionId: session.id, userId, expiresAt: new Date(Date.now() + 15 * 60_000) })
        return { tenantId, userId, sessionId: session.id, value, token }
      }),
    /** Each change resolves when it is acknowledged. */
    end: ({ tenantId, userId }: Person) =>
      operator.endSessionsOfTenant(context, { params: { tenant_id: tenantId }, query: { user_id: userId } }),
    remove: ({ tenantId, userId }: Person) =>
      operator.removeUserOfTenant(context, { params: { tenant_id: tenantId, user_id: userId } }),
    replaceRoles: async ({ tenantId, userId }: Person, roleIds: readonly string[]) => {
      await db.acrossTenants(async (tx) => {
        await updateMembership(tx, tenantId, userId, { roleIds })
        recordAuthorizationChange(tx, 'user', [userId])
      })
      await outwaitLeases()
    },
    /** Sets the times of a session without an invalidation: time passes without a change. */
    age: ({ sessionId }: Person, times: { lastSeenAt?: Date; expiresAt?: Date }) =>
      db.acrossTenants((tx) => tx.session.update({ where: { id: sessionId }, data: times })),
    /** When identity last heard of a use. */
    lastSeenAt: async ({ sessionId }: Person) =>
      (await db.acrossTenants((tx) => tx.session.findUnique({ where: { id: sessionId } })))?.lastSeenAt,
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

export type IdentityService = Awaited<ReturnType<typeof startIdentity>>
