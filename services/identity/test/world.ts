import { createSecretKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import type { App } from '@payments/chassis/request/app'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { localVault } from '@payments/testing/services/local-vault'
import { serviceWorld } from '@payments/testing/services/service-world'
import type { Vault } from '@payments/vault/vault'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { attemptMail } from '../src/mail/attempt.ts'
import { startMailLoop } from '../src/mail/loop.ts'
import { countMailAttempts } from '../src/mail/metrics.ts'
import { createSession } from '../src/session/create-session.ts'
import { sessionTokens } from '../src/session/session-tokens.ts'
import { type Peppers, sessionValues } from '../src/session/session-values.ts'
import type { SignInProviders } from '../src/sign-in/providers.ts'
import { openDatabase } from '../src/store/database.ts'
import { insertMembership, updateMembership } from '../src/store/memberships.ts'
import { insertUser } from '../src/store/users.ts'
import { apiKeyPeer, communicationPeer, startRbac } from './peers.ts'
import { withPeople, withProcesses } from './requests.ts'

export const issuer = 'https://sign-in.example'
export const consoleOrigin = 'https://console.example'
const minuteMs = 60_000

/** No person of these tests signs in at a sign-in provider. */
const noProviders: SignInProviders = { list: [], find: () => undefined, byIssuer: () => undefined }

/** A real identity and a real rbac, each on a private database. */
export async function startWorld({ providers = noProviders }: { providers?: SignInProviders } = {}) {
  const [rbac, communication, apiKey] = await Promise.all([startRbac(), communicationPeer(), apiKeyPeer()])
  const service = await serviceWorld(identityContract, openDatabase)
  const { vault, vaultKeys } = localVault(service.deps)
  const peppers: { keys: Map<string, ReturnType<typeof createSecretKey>>; current: string } = {
    keys: new Map([['old', createSecretKey(randomBytes(32))]]),
    current: 'old',
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tokenKey = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const woken = { mails: 0 }
  const deps: Deps = {
    ...service.deps,
    environment: 'dev',
    consoleOrigin,
    vault,
    rbac: rbac.client,
    apiKey: apiKey.client,
    communication: communication.client,
    mails: { wake: () => void (woken.mails += 1) },
    sessionValues: sessionValues('dev', peppers),
    sessionTokens: sessionTokens('dev', { t1: tokenKey }, 't1'),
    providers,
    sessionLimits: { idleMs: 60 * minuteMs, lifetimeMs: 720 * minuteMs },
  }
  const app = createApp(deps)
  const vaults = new Map<App, Vault>()
  const callers = service.createCallers(app)
  const asGateway = withProcesses(callers.asService('gateway'))
  const attempts = countMailAttempts(service.deps.metrics.registry)
  const stopping: (() => Promise<unknown>)[] = []

  /** A person who has signed in at the sign-in provider, and is a user of no tenant. */
  async function person({ email = `${randomUUID()}@example.com`, name = 'Grace' }: Profile = {}) {
    const subject = randomUUID()
    const { id } = await service.db.acrossTenants((tx) => insertUser(tx, { id: newId(), issuer, subject, email, name }))
    return { id, email, name, subject }
  }

  /** Makes a person a user of the tenant, without an event. */
  const join = (tenantId: string, userId: string, roleIds: readonly string[], enabled = true) =>
    service.db.acrossTenants(async (tx) => {
      await insertMembership(tx, tenantId, { userId, roleIds, providerId: null, createdBy: 'user:test' })
      return updateMembership(tx, tenantId, userId, { enabled })
    })

  /** A new session of a user, as a sign-in creates it. */
  async function signIn(tenantId: string, user: { id: string; subject: string }, { minutesAgo = 0 } = {}) {
    const authenticatedAt = new Date(Date.now() - minutesAgo * minuteMs)
    const signedIn = { providerId: 'test', issuer, subject: user.subject, providerSessionId: null, authenticatedAt }
    const browser = { address: '192.0.2.7', userAgent: 'Browser/1' }
    const opened = { userId: user.id, tenantId, kind: 'browser' as const, signedIn, browser, traceId: randomUUID() }
    const { value, session } = await service.db.acrossTenants((tx) => createSession(tx, deps, opened))
    return {
      id: session.id,
      value,
      session,
      /** The same, of the process of an app, without a permission. */
      at: (through: App) =>
        withPeople(service.createCallers(through).asSession(tenantId, { userId: user.id, sessionId: session.id }, [])),
      /** The requests with a JWT of the session. */
      byToken: () =>
        withPeople(callers.asSession(tenantId, { userId: user.id, sessionId: session.id, isSessionToken: true })),
      /** The requests with the session. */
      by: (permissions: readonly Permission[] = permissionNames, roleIds: readonly string[] = []) =>
        withPeople(callers.asSession(tenantId, { userId: user.id, sessionId: session.id, roleIds }, permissions)),
    }
  }

  const createMember = async (
    tenantId: string,
    roleIds: readonly string[],
    profile: Profile & { enabled?: boolean },
  ) => {
    const user = await person(profile)
    await join(tenantId, user.id, roleIds, profile.enabled)
    return { ...user, signIn: (options = {}) => signIn(tenantId, user, options) }
  }

  return {
    ...service,
    app,
    deps,
    peppers: peppers as Peppers & typeof peppers,
    vaultKeys,
    woken,
    rbac,
    communication,
    apiKeyNames: apiKey.names,
    appWith: (other: Vault) => {
      const through = createApp({ ...deps, vault: other })
      vaults.set(through, other)
      return through
    },
    /** The link in the mail that the process of an app hands over. */
    mailedLink: async (through: App, tenantId: string, invitationId: string): Promise<string | undefined> => {
      const sent = communication.mails.length
      const mail = { invitationId, tenantId, messageId: newId(), traceId: randomUUID(), attemptCount: 0 }
      await attemptMail({ ...deps, vault: vaults.get(through) ?? vault, attempts }, mail)
      return communication.mails.slice(sent).find(({ message_id: id }) => id === mail.messageId)?.url
    },
    createAppWith: (changes: Partial<Deps>) => createApp({ ...deps, ...changes }),
    asGateway,
    asRbac: withProcesses(callers.asService('rbac')),
    asOperator: withProcesses(callers.asOperator()),
    asGatewayAt: (through: App) => withProcesses(service.createCallers(through).asService('gateway')),
    withPeppers: (ring: Peppers) => ({ sessionValues: sessionValues('dev', ring) }),
    /** The id of a new user who has no session. */
    unusedMember: async () => {
      const user = await person()
      await join(randomUUID(), user.id, [])
      return user.id
    },
    /** All that is stored, in lower case. */
    everyRow: async (): Promise<string> => {
      const tables = await service.rows<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
      )
      const union = tables.map(({ name }) => `SELECT t::text AS row FROM "${name}" t`).join(' UNION ALL ')
      const rows = await service.rows<{ row: string }>(union)
      return rows
        .map(({ row }) => row)
        .join('\n')
        .toLowerCase()
    },
    person,
    join,
    signIn,
    /** The identity of the session with a value. */
    identify: async (value: string) => (await asGateway.identify({ session_hash: keyHash(value) })).body.session,
    epoch: (since?: number) => service.db.versions.read(since),
    /** Hands over mails until the world stops. */
    startMails: () => {
      const loop = startMailLoop({ ...deps, attempts })
      stopping.push(() => loop.stop())
    },
    /** A new tenant with the built-in roles, and its callers. */
    tenant: async (through: App = app) => {
      const { tenant, roles } = await rbac.asPayctl.createTenant({ traceId: randomUUID() }, { body: { name: 'Acme' } })
      const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? ''
      const { asTenant, asUser } = service.createCallers(through)
      return {
        id: tenant.id,
        createdAt: tenant.created_at,
        adminRole: roleId('admin'),
        viewerRole: roleId('viewer'),
        /** An API key with every permission, or with the given ones. */
        by: (permissions?: readonly Permission[]) => withPeople(asTenant(tenant.id, permissions)),
        /** The JWT of another issuer. */
        byJwt: (permissions?: readonly Permission[]) => withPeople(asUser(tenant.id, permissions)),
        role: (permissions: readonly Permission[], name?: string) => rbac.role(tenant.id, permissions, name),
        /** A user with an email address of their own. */
        member: (roleIds: readonly string[] = [], profile: Profile & { enabled?: boolean } = {}) =>
          createMember(tenant.id, roleIds, profile),
        events: () => service.events(tenant.id),
        /** The open or ended invitation, as stored. */
        invitation: async (id: string) => {
          const sql = 'SELECT * FROM user_invitations WHERE tenant_id = $1::uuid AND id = $2::uuid'
          return (await service.rows(sql, tenant.id, id))[0]
        },
      }
    },
    stop: async () => {
      await Promise.all(stopping.map((stop) => stop()))
      await service.stop()
      await Promise.all([rbac.stop(), communication.stop(), apiKey.stop()])
    },
  }
}

interface Profile {
  readonly email?: string
  readonly name?: string
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<World['tenant']>>

/** An email address that no other test uses, in mixed case. */
export const newEmail = (): string => `Ada.${randomUUID()}@Example.com`
