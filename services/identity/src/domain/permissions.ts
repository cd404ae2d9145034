import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { administratorPermissions, administratorProblems } from '@payments/contracts/problems/administrators'
import { unknownRoleProblems } from '@payments/contracts/problems/unknown-role'
import type { SessionEndReason } from './session.ts'

/**
 * The caller of a change. Three rules apply. A caller gives and takes only roles whose permissions the caller holds:
 * the no-privilege-escalation rule. A user does not change their own access. A tenant keeps its last administrator.
 */
interface Holder {
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly sessionId: string | null
}

/** An operator as the caller in a tenant. None of the rules applies. */
export interface Operator {
  readonly tenantId: string
  readonly traceId: string
  readonly actor: null
  readonly sessionId: null
}

const sessionPermission = 'user:RemoveUser'

interface HolderWithPermissions extends Holder {
  readonly permissions: ReadonlySet<Permission>
}

/** The permissions that each role grants. */
export type Grants = ReadonlyMap<string, readonly Permission[]>

export const grantedPermissions = (grants: Grants, roleIds: readonly string[]): Permission[] =>
  roleIds.flatMap((roleId) => grants.get(roleId) ?? [])

/** Whether the user is the person of the session. An API key, and the JWT of another issuer, is no user. */
export const isOwnUser = ({ actor, sessionId }: Holder, userId: string): boolean =>
  sessionId !== null && actor.type === 'user' && actor.id === userId

/** Throws own_user when the holder is the user. */
export function rejectOwnUser(holder: Holder, userId: string): void {
  if (isOwnUser(holder, userId)) throw new Problem(administratorProblems.own_user)
}

/** Whether the holder may know of the sessions of the user. */
export const mayKnowSessions = (holder: HolderWithPermissions, userId: string): boolean =>
  isOwnUser(holder, userId) || holder.permissions.has(sessionPermission)

/** Why a session of the user ends when the holder ends it. */
export const endReason = (holder: Holder, userId: string): SessionEndReason =>
  isOwnUser(holder, userId) ? 'ended_by_user' : 'ended_by_administrator'

/** Throws permission_denied unless the holder may know of the sessions of the user. */
export function requireSessionAccess(holder: HolderWithPermissions, userId: string): void {
  if (mayKnowSessions(holder, userId)) return
  const detail = `The sessions of another user need ${sessionPermission}`
  throw new Problem(commonProblems.permission_denied, { detail })
}

interface Access {
  readonly enabled: boolean
  readonly roleIds: readonly string[]
}

/**
 * Throws last_administrator when the change takes the last administrator. `others`: the roles of the other enabled
 * users. `after` null: the user is removed.
 */
export function requireAdministrator(
  grants: Grants,
  others: readonly (readonly string[])[],
  before: Access,
  after: Access | null,
): void {
  const isAdministrator = (roleIds: readonly string[]) => {
    const granted = new Set(grantedPermissions(grants, roleIds))
    return administratorPermissions.every((permission) => granted.has(permission))
  }
  if (!before.enabled || !isAdministrator(before.roleIds)) return
  if (after?.enabled === true && isAdministrator(after.roleIds)) return
  if (others.some(isAdministrator)) return
  throw new Problem(administratorProblems.last_administrator)
}

/** A problem that points at each requested role that the tenant does not have. */
export function unknownRole(roleIds: readonly string[], unknown: readonly string[]): Problem {
  const errors = roleIds.flatMap((roleId, i) =>
    unknown.includes(roleId) ? [{ pointer: `/role_ids/${i}`, detail: 'is not a role of the tenant' }] : [],
  )
  return new Problem(unknownRoleProblems.unknown_role, { errors })
}

export function unknownRoleName(): Problem {
  const errors = [{ pointer: '/role_name', detail: 'is not the name of a role of the tenant' }]
  return new Problem(unknownRoleProblems.unknown_role, { errors })
}
