import type { Caller } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Role, rbac } from '@payments/contracts/services/rbac/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { rejectLossOfOwnPermissions, requireHeldPermissions } from '../domain/permissions.ts'
import { permissionsOf, permissionsOfAll, presentRole, presentRoleEvent, type RoleChanges } from '../domain/role.ts'
import type { Tx } from '../store/database.ts'
import * as roles from '../store/roles.ts'
import { lockTenant } from '../store/tenants.ts'

/**
 * The caller must hold the permissions of the role before and after the edit; otherwise a caller could weaken a role
 * that has more permissions than they do. A rename also invalidates the tenant: tokens name roles. Edits of the roles
 * of a tenant run one after another, so concurrent edits do not remove the permissions of the key together.
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, own_key, role_name_taken, service_unavailable.
 */
export async function updateRole(deps: Deps, caller: Caller, roleId: string, changes: RoleChanges): Promise<Role> {
  const { tenantId, traceId } = caller
  const ownRoleIds = changes.permissions === undefined ? [] : await rolesOfCaller(deps, caller)
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockTenant(tx, tenantId)
    const before = await roles.lockRole(tx, tenantId, roleId)
    if (before === null) throw new Problem(problems.role_not_found)
    if (before.kind === 'built_in') throw new Problem(problems.built_in_role)
    requireHeldPermissions(caller, [...permissionsOf(before), ...(changes.permissions ?? [])])
    if (changes.permissions !== undefined && ownRoleIds.includes(roleId)) {
      const others = await grantedBy(
        tx,
        tenantId,
        ownRoleIds.filter((id) => id !== roleId),
      )
      rejectLossOfOwnPermissions(permissionsOf(before), [...changes.permissions, ...others])
    }
    const renamed = changes.name !== undefined && changes.name !== before.name
    if (renamed && (await roles.isNameTaken(tx, tenantId, changes.name, roleId)))
      throw new Problem(problems.role_name_taken)
    const { name: _, ...unnamed } = changes
    const role = await roles.update(tx, tenantId, roleId, renamed ? changes : unnamed)
    const payload = presentRoleEvent(role)
    await emit(tx, rbac.events, { type: 'rbac.roles.update', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'role', [roleId])
    if (renamed) recordAuthorizationChange(tx, 'tenant', [tenantId])
    return presentRole(role)
  })
}

/** The role ids of a key. Empty for a user: the identity provider assigns roles to users. */
async function rolesOfCaller(deps: Deps, { tenantId, traceId, actor }: Caller): Promise<string[]> {
  if (actor.type !== 'api_key') return []
  const call = { params: { tenant_id: tenantId, api_key_id: actor.id } }
  return (await deps.apiKey.readKeyRoles({ traceId }, call)).role_ids
}

async function grantedBy(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Permission[]> {
  return permissionsOfAll(await roles.findRoles(tx, tenantId, { ids, names: [] }))
}
