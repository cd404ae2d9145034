import type { Caller } from '@payments/chassis/caller'
import { recordPowerChange } from '@payments/chassis/epoch'
import { Problem } from '@payments/contracts/problem'
import { problems, type Role, rbac } from '@payments/contracts/rbac'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { refuseExceeding } from '../domain/power.ts'
import { permissionsOf, presentRole, presentRoleEvent, type RoleChanges } from '../domain/role.ts'
import { isNameTaken, lockRole, updateRole as updateRoleOf } from '../store/roles.ts'
import { lockTenant } from '../store/tenants.ts'

/**
 * The caller must hold what the role grants before and after: who could edit a role above them could take power from their betters.
 * A new name changes what tokens that name roles have, so the tenant changed too.
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, role_name_taken.
 */
export function updateRole(deps: Deps, caller: Caller, roleId: string, changes: RoleChanges): Promise<Role> {
  const { tenantId, traceId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockTenant(tx, tenantId)
    const before = await lockRole(tx, tenantId, roleId)
    if (before === null) throw new Problem(problems.role_not_found)
    if (before.kind === 'built_in') throw new Problem(problems.built_in_role)
    refuseExceeding(caller, [...permissionsOf(before), ...(changes.permissions ?? [])])
    const renamed = changes.name !== undefined && changes.name !== before.name
    if (renamed && (await isNameTaken(tx, tenantId, changes.name))) throw new Problem(problems.role_name_taken)
    const role = await updateRoleOf(tx, tenantId, roleId, changes)
    const payload = presentRoleEvent(role)
    await emit(tx, rbac.events, { type: 'rbac.roles.update', tenantId, businessUnitId: null, traceId, payload })
    recordPowerChange(tx, 'role', [roleId])
    if (renamed) recordPowerChange(tx, 'tenant', [tenantId])
    return presentRole(role)
  })
}
