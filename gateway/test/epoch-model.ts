import type { KeyIdentity } from '@payments/contracts/api-key'
import { type AuthorizationEpoch, everyKeyHash, type InvalidationKind } from '@payments/contracts/authorization-version'
import { base62, checksumOf, keyHash } from '@payments/contracts/key-value'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { problems as rbacProblems } from '@payments/contracts/rbac'
import type { Owners, Principal } from '../src/authorization/resolver.ts'

/**
 * The owners of power as the gateway sees them: states that follow one another, each with its epoch, and messages that arrive when the
 * schedule says, or not at all. Everything they ever were is kept, so that a principal can be held against it.
 */
export interface Change {
  readonly kind: InvalidationKind
  readonly id: string
}

export interface Owner<S> {
  readonly state: () => S
  /** Every state there ever was; a state's index is its epoch. */
  readonly history: readonly S[]
  /** The last change that has been answered. */
  readonly answered: () => number
  /** Makes a change true; it is answered when the function it returns is called. */
  readonly commit: (state: S, changes: readonly Change[]) => () => void
  readonly readAuthorizationVersion: (since: number | undefined) => AuthorizationEpoch
  /** Forgets which changes there were. */
  readonly purge: () => void
  /** Comes back with another history, and so with another incarnation. */
  readonly restart: () => void
}

export function createOwner<S>(first: S): Owner<S> {
  const history = [first]
  const changesOf: (readonly { kind: string; id: string }[])[] = [[]]
  let answered = 0
  let purged = 0
  let incarnation = 1
  const epoch = () => history.length - 1
  return {
    state: () => history[epoch()] as S,
    history,
    answered: () => answered,
    commit(state, changes) {
      history.push(state)
      changesOf.push(changes)
      const at = epoch()
      return () => {
        answered = Math.max(answered, at)
      }
    },
    readAuthorizationVersion: (since) => ({
      incarnation: String(incarnation),
      epoch: epoch(),
      invalidated: since === undefined || since < purged || since > epoch() ? null : changesOf.slice(since + 1).flat(),
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

export interface KeyState {
  readonly id: string
  readonly enabled: boolean
  readonly roleIds: readonly string[]
}

export interface RoleState {
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

/** A well-formed value, and its key hash. */
export const values = [1n, 2n, 3n].map((secret) => {
  const covered = `psk_dev_${base62(secret, 43)}`
  return covered + checksumOf(covered)
})
export const keyHashes = values.map(keyHash)

/** Tokens, as good as their roles: the names that each one claims. */
export const tokens: Readonly<Record<string, readonly string[]>> = { t1: ['editor'], t2: ['auditor', 'editor'] }

/** What the owners would say of a credential in these states. */
export function truth(credential: string, keys: ApiKeyState, { suspended, roles }: RbacState): Principal | undefined {
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

/** Whether a principal is what the owners would have said at some moment after what was answered when the request arrived. */
export function isJustified(
  principal: Principal | undefined,
  credential: string,
  since: { apiKey: number; rbac: number },
  owners: { apiKey: Owner<ApiKeyState>; rbac: Owner<RbacState> },
): boolean {
  const told = JSON.stringify(principal)
  return owners.apiKey.history
    .slice(since.apiKey)
    .some((keys) =>
      owners.rbac.history.slice(since.rbac).some((roles) => JSON.stringify(truth(credential, keys, roles)) === told),
    )
}

/** Sends a question to an owner, whose answer is made when the question arrives, and arrives later itself; or fails. */
export type Send = <A>(answer: () => A) => Promise<A>

/** The owners' side of the wire. */
export function answering(apiKey: Owner<ApiKeyState>, rbac: Owner<RbacState>, send: Send): Owners {
  const identity = (hashed: string): KeyIdentity | null => {
    const key = apiKey.state().keys[hashed]
    if (key === undefined) return null
    const { id, enabled, roleIds } = key
    const fixed = { tenant_id: tenantId, value: 'current', expires_at: null, allowed_cidrs: null } as const
    return { api_key_id: id, enabled, role_ids: [...roleIds], ...fixed }
  }
  return {
    apiKey: {
      identifyKey: (_, { body }) => send(() => ({ key: identity(body?.key_hash ?? '') })),
      readAuthorizationVersion: (since) => send(() => apiKey.readAuthorizationVersion(since)),
      recordKeyUses: async () => ({ recorded: 0 }),
    },
    rbac: {
      resolveRoles: (_, { params, body }) =>
        send(() => {
          if (params?.tenant_id !== tenantId) throw new Problem(rbacProblems.tenant_not_found)
          const { suspended, roles } = rbac.state()
          const asked = new Set([...(body?.role_ids ?? []), ...(body?.role_names ?? [])])
          const found = Object.entries(roles).filter(([id, { name }]) => asked.has(id) || asked.has(name))
          return {
            tenant_status: suspended ? ('suspended' as const) : ('active' as const),
            roles: found.map(([id, { name, permissions }]) => ({ id, name, permissions: [...permissions] })),
            permissions: [...new Set(found.flatMap(([, { permissions }]) => permissions))].sort(),
            unknown: [],
          }
        }),
      readAuthorizationVersion: (since) => send(() => rbac.readAuthorizationVersion(since)),
    },
  }
}

export const silence = () => new Problem(commonProblems.service_unavailable, { retryAfterSeconds: 1 })

type Pick1 = <T>(from: readonly T[]) => T

const granted: readonly (readonly Permission[])[] = [
  [],
  ['apikey:ReadKey'],
  ['apikey:ReadKey', 'rbac:ReadRole'],
  ['rbac:ReadRole'],
]
const roleIds = ['r1', 'r2']
const keyIds = ['k1', 'k2', 'k3', 'k4', 'k5']

/** Something that happens to the keys. */
export function changeKeys(owner: Owner<ApiKeyState>, pick: Pick1): () => void {
  const { keys } = owner.state()
  const hashed = pick(keyHashes)
  const key = keys[hashed]
  const others = Object.fromEntries(Object.entries(keys).filter(([other]) => other !== hashed))
  const appeared: Change = { kind: 'unknown_key_hashes', id: everyKeyHash }
  if (key === undefined) {
    const free = keyIds.filter((id) => !Object.values(keys).some((taken) => taken.id === id))
    const made = { id: pick(free), enabled: true, roleIds: [pick(roleIds)] }
    return owner.commit({ keys: { ...keys, [hashed]: made } }, [appeared])
  }
  const changed: Change = { kind: 'key', id: key.id }
  const to = pick(keyHashes.filter((other) => keys[other] === undefined || other === hashed))
  switch (pick(['delete', 'toggle', 'roles', 'rotate'] as const)) {
    case 'delete':
      return owner.commit({ keys: others }, [changed])
    case 'toggle':
      return owner.commit({ keys: { ...keys, [hashed]: { ...key, enabled: !key.enabled } } }, [changed])
    case 'roles':
      return owner.commit({ keys: { ...keys, [hashed]: { ...key, roleIds: [pick(roleIds)] } } }, [changed])
    case 'rotate':
      return owner.commit({ keys: { ...others, [to]: key } }, [changed, appeared])
  }
}

/** Something that happens to the roles, or to their tenant. */
export function changeRoles(owner: Owner<RbacState>, pick: Pick1): () => void {
  const { suspended, roles } = owner.state()
  const id = pick(roleIds)
  const role = roles[id]
  const others = Object.fromEntries(Object.entries(roles).filter(([other]) => other !== id))
  const ofRole: Change = { kind: 'role', id }
  const ofTenant: Change = { kind: 'tenant', id: tenantId }
  if (pick([true, false, false])) return owner.commit({ suspended: !suspended, roles }, [ofTenant])
  if (role === undefined) {
    const made = { name: pick(['editor', 'auditor']), permissions: pick(granted) }
    return owner.commit({ suspended, roles: { ...others, [id]: made } }, [ofRole, ofTenant])
  }
  switch (pick(['delete', 'edit', 'edit', 'rename'] as const)) {
    case 'delete':
      return owner.commit({ suspended, roles: others }, [ofRole])
    case 'edit':
      return owner.commit({ suspended, roles: { ...others, [id]: { ...role, permissions: pick(granted) } } }, [ofRole])
    case 'rename': {
      const name = role.name === 'editor' ? 'auditor' : 'editor'
      return owner.commit({ suspended, roles: { ...others, [id]: { ...role, name } } }, [ofRole, ofTenant])
    }
  }
}
