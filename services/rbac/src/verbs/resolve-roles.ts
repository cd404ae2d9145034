import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/rbac'
import type { Deps } from '../deps.ts'
import { permissionsOf, permissionsOfAll } from '../domain/role.ts'
import { findRoles } from '../store/roles.ts'
import { findTenant } from '../store/tenants.ts'

/** What roles grant at this moment, and whether their tenant may act at all. Throws tenant_not_found. */
export function resolveRoles(deps: Deps, tenantId: string, roleIds: readonly string[], roleNames: readonly string[]) {
  return deps.db.inTenant(tenantId, async (tx) => {
    const tenant = await findTenant(tx, tenantId)
    if (tenant === null) throw new Problem(problems.tenant_not_found)
    const roles = await findRoles(tx, tenantId, { ids: roleIds, names: roleNames })
    const known = new Set(roles.flatMap((role) => [role.id, role.name]))
    return {
      tenant_status: tenant.status,
      roles: roles.map((role) => ({ id: role.id, name: role.name, permissions: permissionsOf(role) })),
      permissions: permissionsOfAll(roles),
      unknown: [...roleIds, ...roleNames].filter((sought) => !known.has(sought)),
    }
  })
}
