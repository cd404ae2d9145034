import { newId } from '@payments/chassis/base/id'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import type { Tenant } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { builtInRoles } from '../domain/role.ts'
import { presentTenant } from '../domain/tenant.ts'
import { insertRoles } from '../store/roles.ts'
import { insertTenant } from '../store/tenants.ts'

/** Onboards a tenant with its built-in roles. */
export function createTenant(
  deps: Deps,
  name: string,
): Promise<{ tenant: Tenant; roles: { id: string; name: string }[] }> {
  const tenantId = newId()
  return deps.db.inTenant(tenantId, async (tx) => {
    const tenant = await insertTenant(tx, tenantId, name)
    const roles = await insertRoles(
      tx,
      tenantId,
      Object.entries(builtInRoles).map(([roleName, { description }]) => ({
        id: newId(),
        name: roleName,
        description,
        kind: 'built_in' as const,
        permissions: [],
      })),
    )
    // A gateway may have cached that the tenant does not exist.
    recordAuthorizationChange(tx, 'tenant', [tenantId])
    return { tenant: presentTenant(tenant), roles: roles.map((role) => ({ id: role.id, name: role.name })) }
  })
}
