import { leaseMs } from '@payments/chassis/database/authorization-lease'
import {
  type AuthorizationVersionReply,
  everyKeyHash,
  type InvalidationKind,
} from '@payments/contracts/endpoints/authorization-version'
import { base62, checksumOf, keyHash } from '@payments/contracts/grammar/key-value'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { KeyIdentity } from '@payments/contracts/services/api-key/contract'
import { problems as rbacProblems } from '@payments/contracts/services/rbac/contract'
import type { AuthorizationSources, Principal } from '../src/authorization/resolver.ts'

/**
 * Model of the authorization sources: a sequence of states, each with its epoch. The schedule decides when messages
 * arrive. The model retains every state, so that a principal can be compared with each.
 */
interface Change {
  readonly kind: InvalidationKind
  readonly id: string
}

export interface SourceModel<S> {
  readonly state: () => S
  /** Every state so far; the index of a state is its epoch. */
  readonly history: readonly S[]
  /** Epoch of the last acknowledged change. */
  readonly acknowledged: () => number
  /** Commits a change. Calling the returned function acknowledges the change. */
  readonly commit: (state: S, changes: readonly Change[]) => () => void
  readonly readVersion: (since: number | undefined) => AuthorizationVersionReply
  /** Deletes the names of all changes. */
  readonly purge: () => void
  /** Continues with another incarnation. */
  readonly restart: () => void
}

export function createSourceModel<S>(first: S): SourceModel<S> {
  const history = [first]
  const changesOf: (readonly { kind: string; id: string }[])[] = [[]]
  let acknowledged = 0
  let purged = 0
  let incarnation = 1
  const epoch = () => history.length - 1
  return {
    state: () => history[epoch()] as S,
    history,
    acknowledged: () => acknowledged,
    commit(state, changes) {
      history.push(state)
      changesOf.push(changes)
      const at = epoch()
      return () => {
        acknowledged = Math.max(acknowledged, at)
      }
    },
    readVersion: (since) => ({
      incarnation: String(incarnation),
      epoch: epoch(),
      invalidated: since === undefined || since < purged || since > epoch() ? null : changesOf.slice(since + 1).flat(),
      lease_ms: leaseMs,
    }),
    purge: () => {
      purged = epoch()
    },
    restart: () => {
      incarnation += 1
      for (let at = 0; at <= epoch(); at += 1) changesOf[at] = []
    },
  }
}

interface KeyState {
  readonly id: string
  readonly enabled: boolean
  readonly roleIds: readonly string[]
}

interface RoleState {
  readonly name: string
  readonly permissions: readonly Permission[]
}

export interface ApiKeyState {
  readonly keys: Readonly<Record<string, KeyState>>
}

export interface RbacState {
  readonly suspended: boolean
  readonly roles: Readonly<Record<string, RoleState>>
}

export const tenantId = '00000000-0000-4000-8000-00000000000a'

/** Well-formed key values and their hashes. */
export const values = [1n, 2n, 3n].map((secret) => {
  const covered = `psk_dev_${base62(secret, 43)}`
  return covered + checksumOf(covered)
})
export const keyHashes = values.map(keyHash)

/** Tokens, with the role names that each claims. */
export const tokens: Readonly<Record<string, readonly string[]>> = { t1: ['editor'], t2: ['auditor', 'editor'] }

/** The principal of a credential in these states. */
function expectedPrincipal(
  credential: string,
  keys: ApiKeyState,
  { suspended, roles }: RbacState,
): Principal | undefined {
  const names = tokens[credential]
  const key = names === undefined ? keys.keys[keyHash(credential)] : undefined
  if (names === undefined && !key?.enabled) return undefined
  const found =
    names === undefined
      ? (key?.roleIds ?? []).flatMap((id) => roles[id] ?? [])
      : Object.values(roles).filter(({ name }) => names.includes(name))
  return {
    tenantId,
    tenantStatus: suspended ? 'suspended' : 'active',
    actor: key === undefined ? { type: 'user', id: credential } : { type: 'api_key', id: key.id },
    permissions: [...new Set(found.flatMap(({ permissions }) => permissions))].sort(),
    allowedCidrs: null,
  }
}

/**
 * Whether a principal is correct for some pair of states that is not older than the ones acknowledged at the arrival.
 */
export function isJustified(
  principal: Principal | undefined,
  credential: string,
  since: { apiKey: number; rbac: number },
  sources: { apiKey: SourceModel<ApiKeyState>; rbac: SourceModel<RbacState> },
): boolean {
  const actual = JSON.stringify(principal)
  return sources.apiKey.history
    .slice(since.apiKey)
    .some((keys) =>
      sources.rbac.history
        .slice(since.rbac)
        .some((roles) => JSON.stringify(expectedPrincipal(credential, keys, roles)) === actual),
    )
}

/** Delivers a request, computes its response on arrival, and delivers the response later; or fails. */
export type Send = <A>(respond: () => A) => Promise<A>

/** The sources as the resolver sees them. */
export function sourcesOver(
  apiKey: SourceModel<ApiKeyState>,
  rbac: SourceModel<RbacState>,
  send: { readonly apiKey: Send; readonly rbac: Send },
): AuthorizationSources {
  const identity = (hash: string): KeyIdentity | null => {
    const key = apiKey.state().keys[hash]
    if (key === undefined) return null
    const { id, enabled, roleIds } = key
    const fixed = { tenant_id: tenantId, value: 'current', expires_at: null, allowed_cidrs: null } as const
    return { api_key_id: id, enabled, role_ids: [...roleIds], ...fixed }
  }
  return {
    apiKey: {
      identifyKey: (_, { body }) => send.apiKey(() => ({ key: identity(body?.key_hash ?? '') })),
      readAuthorizationVersion: (_, { query }) =>
        send.apiKey(() => apiKey.readVersion(query?.since as number | undefined)),
      recordKeyUses: async () => ({ recorded: 0 }),
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
          }
        }),
      readAuthorizationVersion: (_, { query }) => send.rbac(() => rbac.readVersion(query?.since as number | undefined)),
    },
  }
}

export const unreachable = () => new Problem(commonProblems.service_unavailable, { retryAfterSeconds: 1 })

type PickOne = <T>(from: readonly T[]) => T

const granted: readonly (readonly Permission[])[] = [
  [],
  ['apikey:ReadKey'],
  ['apikey:ReadKey', 'rbac:ReadRole'],
  ['rbac:ReadRole'],
]
const roleIds = ['r1', 'r2']
const keyIds = ['k1', 'k2', 'k3', 'k4', 'k5']

/** Commits a random change of the keys. */
export function changeKeys(source: SourceModel<ApiKeyState>, pick: PickOne): () => void {
  const { keys } = source.state()
  const hash = pick(keyHashes)
  const key = keys[hash]
  const others = Object.fromEntries(Object.entries(keys).filter(([other]) => other !== hash))
  const appeared: Change = { kind: 'unknown_key_hashes', id: everyKeyHash }
  if (key === undefined) {
    const free = keyIds.filter((id) => !Object.values(keys).some((used) => used.id === id))
    const created = { id: pick(free), enabled: true, roleIds: [pick(roleIds)] }
    return source.commit({ keys: { ...keys, [hash]: created } }, [appeared])
  }
  const changed: Change = { kind: 'key', id: key.id }
  const to = pick(keyHashes.filter((other) => keys[other] === undefined || other === hash))
  switch (pick(['delete', 'toggle', 'roles', 'rotate'] as const)) {
    case 'delete':
      return source.commit({ keys: others }, [changed])
    case 'toggle':
      return source.commit({ keys: { ...keys, [hash]: { ...key, enabled: !key.enabled } } }, [changed])
    case 'roles':
      return source.commit({ keys: { ...keys, [hash]: { ...key, roleIds: [pick(roleIds)] } } }, [changed])
    case 'rotate':
      return source.commit({ keys: { ...others, [to]: key } }, [changed, appeared])
  }
}

/** Commits a random change of the roles or of their tenant. */
export function changeRoles(source: SourceModel<RbacState>, pick: PickOne): () => void {
  const { suspended, roles } = source.state()
  const id = pick(roleIds)
  const role = roles[id]
  const others = Object.fromEntries(Object.entries(roles).filter(([other]) => other !== id))
  const ofRole: Change = { kind: 'role', id }
  const ofTenant: Change = { kind: 'tenant', id: tenantId }
  if (pick([true, false, false])) return source.commit({ suspended: !suspended, roles }, [ofTenant])
  if (role === undefined) {
    const created = { name: pick(['editor', 'auditor']), permissions: pick(granted) }
    return source.commit({ suspended, roles: { ...others, [id]: created } }, [ofRole, ofTenant])
  }
  switch (pick(['delete', 'edit', 'edit', 'rename'] as const)) {
    case 'delete':
      return source.commit({ suspended, roles: others }, [ofRole])
    case 'edit':
      return source.commit({ suspended, roles: { ...others, [id]: { ...role, permissions: pick(granted) } } }, [ofRole])
    case 'rename': {
      const name = role.name === 'editor' ? 'auditor' : 'editor'
      return source.commit({ suspended, roles: { ...others, [id]: { ...role, name } } }, [ofRole, ofTenant])
    }
  }
}
