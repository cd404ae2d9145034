import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { newId } from '@payments/chassis/base/id'
import { outwaitLeases } from '@payments/chassis/database/authorization-lease'
import {
  recordAuthorizationChange,
  requirePrimary,
  selectAuthorizationVersion,
} from '@payments/chassis/database/authorization-version'
import { createMetrics } from '@payments/chassis/process/metrics'
import { listen, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import { contract } from '@payments/contracts/grammar/contract'
import { processEndpoints } from '@payments/contracts/services/identity/operators'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { pino } from 'pino'
import { presentIdentity, useOf } from '../../services/identity/src/domain/session.ts'
import { createSession } from '../../services/identity/src/session/create-session.ts'
import { endSessions } from '../../services/identity/src/session/end-sessions.ts'
import { sessionTokens } from '../../services/identity/src/session/session-tokens.ts'
import { sessionValues } from '../../services/identity/src/session/session-values.ts'
import { openDatabase, type Tx } from '../../services/identity/src/store/database.ts'
import {
  findMember,
  insertMembership,
  removeMembership,
  updateMembership,
} from '../../services/identity/src/store/memberships.ts'
import {
  findSessionById,
  findSessionByIndexes,
  findSessions,
  recordUses,
} from '../../services/identity/src/store/sessions.ts'
import { insertUser } from '../../services/identity/src/store/users.ts'

const { identifySession, recordSessionUses, readSessionTokenKeys, readAuthorizationVersion } = processEndpoints
const ofGateway = contract({
  service: 'identity',
  description: 'What the gateway asks identity.',
  problems: {},
  endpoints: { identifySession, recordSessionUses, readSessionTokenKeys, readAuthorizationVersion },
  events: {},
})
const limits = { idleMs: 60 * 60_000, lifetimeMs: 12 * 60 * 60_000 }
const traceId = randomUUID()

export interface Person {
  readonly userId: string
  readonly sessionId: string
  readonly value: string
  /** A JWT of the session. */
  readonly token: (expiresInSeconds?: number) => Promise<string>
}

interface NewPerson {
  readonly tenantId: string
  readonly roleIds: readonly string[]
  readonly kind?: 'browser' | 'cli'
  readonly authenticatedSecondsAgo?: number
}

/**
 * Starts identity on a private database: its stores, and the endpoints that the gateway calls. `respond` gets every
 * other request, so that a test defines the responses of pages.
 */
export async function startIdentity(key: KeyObject, respond: RequestListener) {
  const database = await privateDatabase('identity')
  const db = openDatabase(database.url, testPool)
  const log = pino({ level: 'silent' })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const encoded = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const tokens = sessionTokens('dev', { one: encoded }, 'one')
  const values = sessionValues('dev', { keys: new Map([['1', createSecretKey(randomBytes(32))]]), current: '1' })
  const identify = async (tx: Tx, body: { session_hash: string } | { session_id: string }) => {
    await requirePrimary(tx)
    const session =
      'session_id' in body
        ? await findSessionById(tx, body.session_id)
        : await findSessionByIndexes(tx, values.indexes(body.session_hash))
    const member = session === null ? null : await findMember(tx, session.tenantId, session.userId)
    return session === null || !member?.enabled ? null : presentIdentity(session, member.roleIds, limits.idleMs)
  }
  const app = createServiceApp({
    contract: ofGateway,
    keys: keysOfEveryProcess(key),
    operatorCalls: operatorCallsIn(db.sql),
    log,
    metrics: createMetrics('identity'),
    readiness: { required: {}, optional: {} },
    handlers: {
      identifySession: async (_, { body }) => ({ session: await db.acrossTenants((tx) => identify(tx, body)) }),
      recordSessionUses: async (_, { body }) => ({
        recorded: await db.acrossTenants((tx) => recordUses(tx, body.uses.map(useOf))),
      }),
      readSessionTokenKeys: async () => ({ keys: [...tokens.publicKeys] }),
      readAuthorizationVersion: (_, { query }) => selectAuthorizationVersion(db.versionSessions, query.since),
    },
  })
  const server = createServer({ keepAliveTimeout: 100_000 }, (request, response) => {
    const isInternal = /^\/(?:internal\/|healthz)/.test(request.url ?? '')
    if (isInternal) app(request, response)
    else respond(request, response)
  })
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const change = async (work: (tx: Tx) => Promise<unknown>) => {
    await db.acrossTenants(work)
    await outwaitLeases()
  }
  return {
    url,
    server,
    tokenKey: privateKey,
    /** Creates a user of the tenant with a session, as after a sign-in. */
    signIn: ({ tenantId, roleIds, kind = 'browser', authenticatedSecondsAgo = 0 }: NewPerson): Promise<Person> =>
      db.acrossTenants(async (tx) => {
        const userId = newId()
        const issuer = 'https://sign-in.example'
        await insertUser(tx, { id: userId, issuer, subject: userId, email: null, name: null })
        await insertMembership(tx, tenantId, { userId, roleIds, providerId: null, createdBy: 'test' })
        const authenticatedAt = new Date(Date.now() - authenticatedSecondsAgo * 1_000)
        const { value, session } = await createSession(
          tx,
          { sessionValues: values, sessionLimits: limits },
          {
            userId,
            tenantId,
            kind,
            signedIn: { providerId: 'test', issuer, subject: userId, providerSessionId: null, authenticatedAt },
            browser: { address: '127.0.0.1', userAgent: null },
            traceId,
          },
        )
        const token = (expiresInSeconds = 900) => {
          const expiresAt = new Date(Date.now() + expiresInSeconds * 1_000)
          return tokens.sign({ sessionId: session.id, userId, expiresAt })
        }
        return { userId, sessionId: session.id, value, token }
      }),
    /** Each change resolves when it is acknowledged. */
    end: ({ sessionId }: Person) =>
      change(async (tx) => {
        const session = await findSessionById(tx, sessionId)
        await endSessions(tx, session === null ? [] : [session], traceId)
      }),
    replaceRoles: (tenantId: string, { userId }: Person, roleIds: readonly string[]) =>
      change(async (tx) => {
        await updateMembership(tx, tenantId, userId, { roleIds })
        recordAuthorizationChange(tx, 'user', [userId])
      }),
    remove: (tenantId: string, { userId }: Person) =>
      change(async (tx) => {
        await endSessions(tx, await findSessions(tx, tenantId, userId), traceId)
        await removeMembership(tx, tenantId, userId)
        recordAuthorizationChange(tx, 'user', [userId])
      }),
    /** Sets the times of a session without an invalidation: time passes without a change. */
    age: ({ sessionId }: Person, times: { lastSeenAt?: Date; expiresAt?: Date }) =>
      db.acrossTenants((tx) => tx.session.update({ where: { id: sessionId }, data: times })),
    /** When identity last heard of a use. */
    lastSeenAt: async ({ sessionId }: Person) =>
      (await db.acrossTenants((tx) => findSessionById(tx, sessionId)))?.lastSeenAt,
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}
