import type { VersionReads } from '@payments/chassis/database/authorization-version-reads'
import { base62, calculateChecksum, keyHash } from '@payments/contracts/grammar/key-value'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { KeyIdentity } from '@payments/contracts/services/api-key/contract'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import { problems as rbacProblems } from '@payments/contracts/services/rbac/contract'
import type { Credential, Principal } from '../src/authorization/principal.ts'
import type { AuthorizationSources } from '../src/authorization/resolver.ts'
import type { SourceModel } from './source-model.ts'

interface KeyState {
  readonly id: string
  readonly enabled: boolean
  readonly roleIds: readonly string[]
}

interface SessionState {
  readonly id: string
  readonly userId: string
}

interface RoleState {
  readonly name: string
  readonly permissions: readonly Permission[]
}

export interface ApiKeyState {
  readonly keys: Readonly<Record<string, KeyState>>
}

/** Sessions by the hash of their value, and the roles of users. A user who was removed has none. */
export interface IdentityState {
  readonly sessions: Readonly<Record<string, SessionState>>
  readonly users: Readonly<Record<string, readonly string[]>>
}

export interface RbacState {
  readonly suspended: boolean
  readonly roles: Readonly<Record<string, RoleState>>
}

export const tenantId = '00000000-0000-4000-8000-00000000000a'

const createValue = (prefix: string, secret: bigint) => {
  const covered = `${prefix}_dev_${base62(secret, 43)}`
  return covered + calculateChecksum(covered)
}

/** Well-formed key values and their hashes. */
export const values = [1n, 2n, 3n].map((secret) => createValue('psk', secret))
export const keyHashes = values.map(keyHash)

/** The same of sessions. A session has one value, and a session that ended never comes back. */
export const sessionValues = [1n, 2n, 3n].map((secret) => createValue('pss', secret))
const sessionHashes = sessionValues.map(keyHash)

/** JWTs of sessions, with the id of the session and the user that each names. */
export const sessionTokens: Readonly<Record<string, SessionState>> = {
  st1: { id: 's1', userId: 'u1' },
  st2: { id: 's2', userId: 'u1' },
}

export const toCredential = (value: string): Credential => ({
  kind: sessionValues.includes(value) ? 'cookie' : 'bearer',
  value,
})

export const firstSessions: IdentityState = {
  sessions: Object.fromEntries(
    sessionHashes.map((hash, i) => [hash, { id: `s${i + 1}`, userId: i < 2 ? 'u1' : 'u2' }]),
  ),
  users: { u1: ['r1'], u2: ['r2', 'r1'] },
}

/** Tokens, with the role names that each claims. */
export const tokens: Readonly<Record<string, readonly string[]>> = { t1: ['editor'], t2: ['auditor', 'editor'] }

const authenticatedAt = '2026-01-01T00:00:00.000Z'

type Owner = Pick<Principal, 'actor' | 'sessionId' | 'isSessionToken' | 'authenticatedAt' | 'client'> & {
  readonly isOfRole: (id: string, name: string) => boolean
}

const withoutSession = { sessionId: null, isSessionToken: false, authenticatedAt: null, client: null }

/** The owner of a credential in these states; undefined for an invalid one. */
function findOwner(credential: string, { keys }: ApiKeyState, { sessions, users }: IdentityState): Owner | undefined {
  const names = tokens[credential]
  if (names !== undefined) {
    const isOfRole: Owner['isOfRole'] = (_, name) => names.includes(name)
    return { actor: { type: 'user', id: credential }, ...withoutSession, isOfRole }
  }
  const key = keys[keyHash(credential)]
  if (key?.enabled) {
    return { actor: { type: 'api_key', id: key.id }, ...withoutSession, isOfRole: (id) => key.roleIds.includes(id) }
  }
  const named = sessionTokens[credential]
  const session =
    named === undefined ? sessions[keyHash(credential)] : Object.values(sessions).find(({ id }) => id === named.id)
  const roleIds = session === undefined ? undefined : users[session.userId]
  if (session === undefined || roleIds === undefined) return undefined
  return {
    actor: { type: 'user', id: session.userId },
    sessionId: session.id,
    isSessionToken: named !== undefined,
    authenticatedAt,
    client: named === undefined ? 'console' : null,
    isOfRole: (id) => roleIds.includes(id),
  }
}

/** The principal of a credential in these states, as text. */
function expectedPrincipal(
  credential: string,
  keys: ApiKeyState,
  people: IdentityState,
  { suspended, roles }: RbacState,
): string | undefined {
  const owner = findOwner(credential, keys, people)
  if (owner === undefined) return undefined
  const { isOfRole, ...rest } = owner
  const found = Object.entries(roles).filter(([id, { name }]) => isOfRole(id, name))
  return formatPrincipal({
    tenantId,
    tenantStatus: suspended ? 'suspended' : 'active',
    permissions: [...new Set(found.flatMap(([, { permissions }]) => permissions))].sort(),
    roleIds: found.map(([id]) => id),
    roleNames: found.map(([, { name }]) => name),
    allowedCidrs: null,
    ...rest,
  })
}

/** The same text for equal principals, whatever the order of their properties. */
function formatPrincipal(principal: Principal | undefined): string | undefined {
  if (principal === undefined) return undefined
  return JSON.stringify(Object.entries(principal).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export interface SourceModels {
  readonly apiKey: SourceModel<ApiKeyState>
  readonly identity: SourceModel<IdentityState>
  readonly rbac: SourceModel<RbacState>
}

export type SourceName = keyof SourceModels

/**
 * Whether a principal is correct for some states of the sources that are not older than the ones acknowledged at the
 * arrival.
 */
export function isJustified(
  principal: Principal | undefined,
  credential: string,
  since: Readonly<Record<SourceName, number>>,
  { apiKey, identity, rbac }: SourceModels,
): boolean {
  const actual = formatPrincipal(principal)
  return apiKey.history
    .slice(since.apiKey)
    .some((keys) =>
      identity.history
        .slice(since.identity)
        .some((people) =>
          rbac.history.slice(since.rbac).some((roles) => expectedPrincipal(credential, keys, people, roles) === actual),
        ),
    )
}

/** Delivers a request, computes its response from its arrival on, and delivers the response later; or fails. */
export type Send = <A>(respond: () => A | Promise<A>) => Promise<A>

/** Of the only release of rbac. */
const catalogue = 'one'

/** The sources as the resolver sees them. `reads`: the version reads of the process of each source. */
export function sourcesOver(
  { apiKey, identity, rbac }: SourceModels,
  send: Readonly<Record<SourceName, Send>>,
  reads: Readonly<Record<SourceName, VersionReads>>,
): AuthorizationSources {
  const findKey = (hash: string): KeyIdentity | null => {
    const key = apiKey.state().keys[hash]
    if (key === undefined) return null
    const { id, enabled, roleIds } = key
    const fixed = { tenant_id: tenantId, value: 'current', expires_at: null, allowed_cidrs: null } as const
    return { api_key_id: id, enabled, role_ids: [...roleIds], ...fixed }
  }
  return {
    apiKey: {
      identifyKey: (_, { body }) => send.apiKey(() => ({ key: findKey(body?.key_hash ?? '') })),
      readVersion: (since) => send.apiKey(() => reads.apiKey.read(since)),
      recordKeyUses: async () => ({ recorded: 0 }),
    },
    identity: {
      identifySession: (_, { body }) => send.identity(() => ({ session: findSession(identity.state(), body ?? {}) })),
      readVersion: (since) => send.identity(() => reads.identity.read(since)),
      recordSessionUses: async () => ({ recorded: 0 }),
    },
    rbac: {
      resolveRoles: (_, { params, body }) =>
        send.rbac(() => {
          if (params?.tenant_id !== tenantId) throw new Problem(rbacProblems.tenant_not_found)
          const { suspended, roles } = rbac.state()
          const requested = new Set([...(body?.role_ids ?? []), ...(body?.role_names ?? [])])
          const found = Object.entries(roles).filter(([id, { name }]) => requested.has(id) || requested.has(name))
          return {
            tenant_status: suspended ? ('suspended' as const) : ('active' as const),
            roles: found.map(([id, { name, permissions }]) => ({ id, name, permissions: [...permissions] })),
            permissions: [...new Set(found.flatMap(([, { permissions }]) => permissions))].sort(),
            unknown: [],
            catalogue,
          }
        }),
      readVersion: (since) => send.rbac(async () => ({ ...(await reads.rbac.read(since)), catalogue })),
    },
  }
}

function findSession(
  { sessions, users }: IdentityState,
  key: { session_hash?: string | undefined; session_id?: string | undefined },
): SessionIdentity | null {
  const session = sessions[key.session_hash ?? ''] ?? Object.values(sessions).find(({ id }) => id === key.session_id)
  const roleIds = session === undefined ? undefined : users[session.userId]
  if (session === undefined || roleIds === undefined) return null
  const forEver = '2999-01-01T00:00:00.000Z'
  return {
    session_id: session.id,
    user_id: session.userId,
    tenant_id: tenantId,
    kind: 'browser',
    role_ids: [...roleIds],
    authenticated_at: authenticatedAt,
    expires_at: forEver,
    idle_expires_at: forEver,
    idle_seconds: 3_600,
  }
}

export const unreachable = () => new Problem(commonProblems.service_unavailable, { retryAfterSeconds: 1 })
