import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import type { Caller } from '@payments/chassis/caller'
import type { Permission } from '@payments/contracts/permission'
import { Problem } from '@payments/contracts/problem'
import { problems, type Role, rbac } from '@payments/contracts/rbac'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { rejectLossOfOwnPermissions, requireHeldPermissions } from '../domain/permissions.ts'
import { permissionsOf, permissionsOfAll, presentRole, presentRoleEvent, type RoleChanges } from '../domain/role.ts'
import type { Tx } from '../store/database.ts'
import { findRoles, isNameTaken, lockRole, updateRole as updateRoleOf } from '../store/roles.ts'
import { lockTenant } from '../store/tenants.ts'

/**
 * The caller must hold what the role grants before and after: who could edit a role above them could take power from their betters.
 * A new name changes what tokens that name roles have, so the tenant changed too.
 * A key keeps what it has through its roles. Which those are, api-key is asked before the transaction: an edit of a role by a key
 * that gives `permissions` needs api-key. Edits of roles of a tenant wait for each other, so ten at once do not strip it together.
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, own_key, role_name_taken, service_unavailable.
 */
export async function updateRole(deps: Deps, caller: Caller, roleId: string, changes: RoleChanges): Promise<Role> {
  const { tenantId, traceId } = caller
  const ownRoleIds = changes.permissions === undefined ? [] : await rolesOfCaller(deps, caller)
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockTenant(tx, tenantId)
    const before = await lockRole(tx, tenantId, roleId)
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
    if (renamed && (await isNameTaken(tx, tenantId, changes.name, roleId))) throw new Problem(problems.role_name_taken)
    const { name: _, ...unnamed } = changes
    const role = await updateRoleOf(tx, tenantId, roleId, renamed ? changes : unnamed)
    const payload = presentRoleEvent(role)
    await emit(tx, rbac.events, { type: 'rbac.roles.update', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'role', [roleId])
    if (renamed) recordAuthorizationChange(tx, 'tenant', [tenantId])
    return presentRole(role)
  })
}

/** None for a user: which roles a token names is for the identity provider to say. */
async function rolesOfCaller(deps: Deps, { tenantId, traceId, actor }: Caller): Promise<string[]> {
  if (actor.type !== 'api_key') return []
  const call = { params: { tenant_id: tenantId, api_key_id: actor.id } }
  return (await deps.apiKey.readKeyRoles({ traceId }, call)).role_ids
}

async function grantedBy(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Permission[]> {
  return permissionsOfAll(await findRoles(tx, tenantId, { ids, names: [] }))
}
