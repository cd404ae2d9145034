import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems, type Role, rbac } from '@payments/contracts/services/rbac/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { nameTaken, parsePermissions, presentRole, presentRoleEvent, rolesMax } from '../domain/role.ts'
import { countCustomRoles, insertRole, isNameTaken } from '../store/roles.ts'
import { lockTenant } from '../store/tenants.ts'

/**
 * A token that names the role has the role at once, so the change invalidates the tenant and the role.
 * Throws unknown_permission, would_exceed_own_permissions, too_many_roles, role_name_taken, tenant_not_found.
 */
export function createRole(
  deps: Deps,
  caller: CallerWithPermissions,
  draft: { name: string; description: string; permissions: readonly string[] },
): Promise<Role> {
  const { tenantId, traceId } = caller
  const { name, description } = draft
  return once(deps.db, caller, async (tx) => {
    const permissions = parsePermissions(draft.permissions)
    requireHeldPermissions(caller, permissions)
    if (!(await lockTenant(tx, tenantId))) throw new Problem(problems.tenant_not_found)
    if ((await countCustomRoles(tx, tenantId)) >= rolesMax) throw new Problem(problems.too_many_roles)
    if (await isNameTaken(tx, tenantId, name, null)) throw nameTaken()
    const role = await insertRole(tx, tenantId, { id: newId(), name, description, kind: 'custom', permissions })
    const payload = presentRoleEvent(role)
    await emit(tx, rbac.events, { type: 'rbac.roles.create', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'role', [role.id])
    recordAuthorizationChange(tx, 'tenant', [tenantId])
    return presentRole(role)
  })
}
