import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import type { Permission } from '@payments/contracts/grammar/permission'
import {
  type ApiKeyState,
  firstSessions,
  type IdentityState,
  keyHashes,
  type RbacState,
  tenantId,
} from './authorization-model.ts'
import type { Change, SourceModel } from './source-model.ts'

/** Random changes of the authorization sources of the model. */
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

/** Commits a random change of the people. */
export function changePeople(source: SourceModel<IdentityState>, pick: PickOne): () => void {
  const { sessions, users } = source.state()
  const userId = pick(Object.keys(firstSessions.users))
  const ofUser: Change = { kind: 'user', id: userId }
  const { [userId]: roles, ...otherUsers } = users
  const [hash, session] = pick(Object.entries(sessions)) ?? []
  switch (pick(['end', 'roles', 'roles', 'remove'] as const)) {
    case 'end': {
      if (hash === undefined || session === undefined) break
      const { [hash]: _, ...others } = sessions
      return source.commit({ sessions: others, users }, [{ kind: 'session', id: session.id }])
    }
    case 'roles':
      return source.commit({ sessions, users: { ...otherUsers, [userId]: [pick(roleIds)] } }, [ofUser])
    case 'remove':
      if (roles !== undefined) return source.commit({ sessions, users: otherUsers }, [ofUser])
  }
  return source.commit({ sessions, users }, [])
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
