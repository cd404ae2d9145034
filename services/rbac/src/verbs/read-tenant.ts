import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type TenantWithRoles } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import { listRoleNames } from '../store/roles.ts'
import { findTenant } from '../store/tenants.ts'

/** Throws tenant_not_found. */
export function readTenant(deps: Deps, tenantId: string): Promise<TenantWithRoles> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const tenant = await findTenant(tx, tenantId)
    if (tenant === null) throw new Problem(problems.tenant_not_found)
    return { ...presentTenant(tenant), roles: await listRoleNames(tx, tenantId) }
  })
}
