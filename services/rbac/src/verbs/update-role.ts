import type { Caller, CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems, type Role, rbac } from '@payments/contracts/services/rbac/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { isAdministrator, rejectLossOfOwnPermissions, takesAdministration } from '../domain/permissions.ts'
import {
  grantedPermissions,
  nameTaken,
  presentRole,
  presentRoleEvent,
  type RoleChanges,
  unionPermissions,
} from '../domain/role.ts'
import type { Tx } from '../store/database.ts'
import * as roles from '../store/roles.ts'
import { lockTenant } from '../store/tenants.ts'

/** The different sets of role ids that the users of a tenant have. */
type RoleSets = readonly (readonly string[])[]

/**
 * **What it does.** Edits a custom role. Edits of a tenant run one after another.
 *
 * **Guarantees.**
 * 1. The caller holds the permissions of the role before and after the edit, and loses none. Its roles still grant
 *    what it takes.
 * 2. An edit that takes a permission of administrators leaves the tenant an administrator, if it had one. Only such an
 *    edit reads the roles of users from identity.
 * 3. A rename changes no permissions of keys and users. It invalidates the tenant: JWTs of other issuers name roles.
 *
 * **Not guaranteed.** A simultaneous change of a user in identity can leave no administrator: an operator invites one.
 *
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, own_key, own_user, last_administrator,
 * role_name_taken, service_unavailable.
 */
export async function updateRole(
  deps: Deps,
  caller: CallerWithPermissions,
  roleId: string,
  changes: RoleChanges,
): Promise<Role> {
  const ownRoleIds = changes.permissions === undefined ? null : await readOwnRoleIds(deps, caller)
  const edit = { caller, roleId, changes, ownRoleIds }
  const updated = await deps.db.inTenant(caller.tenantId, (tx) => update(tx, edit, null))
  if (updated !== needsRoleSets) return updated
  const call = { params: { tenant_id: caller.tenantId } }
  const { role_sets: roleSets } = await deps.identity.readMemberRoles({ traceId: caller.traceId }, call)
  const decided = await deps.db.inTenant(caller.tenantId, (tx) => update(tx, edit, roleSets))
  if (decided === needsRoleSets) throw new Error('the edit has the roles of users')
  return decided
}

interface Edit {
  readonly caller: CallerWithPermissions
  readonly roleId: string
  readonly changes: RoleChanges
  /** Null where they are not known, and where the edit keeps the permissions. */
  readonly ownRoleIds: readonly string[] | null
}

const needsRoleSets = Symbol('needs the roles of users')

/** Without `roleSets`, an edit that depends on them changes nothing and returns needsRoleSets. */
async function update(
  tx: Tx,
  { caller, roleId, changes, ownRoleIds }: Edit,
  roleSets: RoleSets | null,
): Promise<Role | typeof needsRoleSets> {
  const { tenantId, traceId, actor } = caller
  await lockTenant(tx, tenantId)
  const before = await roles.lockRole(tx, tenantId, roleId)
  if (before === null) throw new Problem(problems.role_not_found)
  if (before.kind === 'built_in') throw new Problem(problems.built_in_role)
  const current = grantedPermissions(before)
  const own = ownRoleIds && (await roles.findRoles(tx, tenantId, ownRoleIds))
  const given = changes.permissions ?? current
  requireHeldPermissions(caller, [...current, ...given])
  // A simultaneous edit may have taken permissions of the caller.
  const taken = current.filter((permission) => !given.includes(permission))
  if (own !== null) requireHeldPermissions({ permissions: new Set(unionPermissions(own)) }, taken)
  if (changes.permissions !== undefined && own?.some(({ id }) => id === roleId)) {
    const others = unionPermissions(own.filter(({ id }) => id !== roleId))
    rejectLossOfOwnPermissions(actor, current, [...changes.permissions, ...others])
  }
  if (changes.permissions !== undefined && takesAdministration(current, changes.permissions)) {
    if (roleSets === null) return needsRoleSets
    await requireAdministrator(tx, tenantId, roleSets, { roleId, permissions: changes.permissions })
  }
  const renamed = changes.name !== undefined && changes.name !== before.name
  if (renamed && (await roles.isNameTaken(tx, tenantId, changes.name, roleId))) throw nameTaken()
  const { name: _, ...unnamed } = changes
  const role = await roles.update(tx, tenantId, roleId, renamed ? changes : unnamed)
  const payload = presentRoleEvent(role)
  await emit(tx, rbac.events, { type: 'rbac.roles.update', tenantId, businessUnitId: null, traceId, payload })
  recordAuthorizationChange(tx, 'role', [roleId])
  if (renamed) recordAuthorizationChange(tx, 'tenant', [tenantId])
  return presentRole(role)
}

/** Throws last_administrator where the edit leaves a tenant that has an administrator without one. */
async function requireAdministrator(
  tx: Tx,
  tenantId: string,
  roleSets: RoleSets,
  edited: { readonly roleId: string; readonly permissions: readonly Permission[] },
): Promise<void> {
  const ids = [...new Set(roleSets.flat())]
  const granted = new Map<string, readonly Permission[]>(
    (await roles.findRoles(tx, tenantId, ids)).map((role) => [role.id, grantedPermissions(role)]),
  )
  const hasAdministrator = () => roleSets.some((set) => isAdministrator(set.flatMap((id) => granted.get(id) ?? [])))
  if (!hasAdministrator()) return
  granted.set(edited.roleId, edited.permissions)
  if (!hasAdministrator()) throw new Problem(problems.last_administrator)
}

/** The role ids of a key or of a session. Null for the JWT of another issuer, which names roles. */
async function readOwnRoleIds(deps: Deps, caller: Caller): Promise<readonly string[] | null> {
  const { tenantId, traceId, actor, sessionId, roleIds } = caller
  if (sessionId !== null) return roleIds
  if (actor.type !== 'api_key') return null
  const call = { params: { tenant_id: tenantId, api_key_id: actor.id } }
  return (await deps.apiKey.readKeyRoles({ traceId }, call)).role_ids
}
