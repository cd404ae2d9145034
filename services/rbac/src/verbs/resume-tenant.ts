import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Tenant } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import { setTenantStatus } from '../store/tenants.ts'

/** Takes effect with the next request of the tenant. Throws tenant_not_found. */
export function resumeTenant(deps: Deps, tenantId: string): Promise<Tenant> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const tenant = await setTenantStatus(tx, tenantId, 'active')
    if (tenant === undefined) throw new Problem(problems.tenant_not_found)
    recordAuthorizationChange(tx, 'tenant', [tenantId])
    return presentTenant(tenant)
  })
}
