import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Tenant, type TenantStatus } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import * as tenants from '../store/tenants.ts'

/** Suspends or resumes a tenant, from its next request on. Throws tenant_not_found. */
export function setTenantStatus({ db }: Deps, tenantId: string, status: TenantStatus): Promise<Tenant> {
  return db.inTenant(tenantId, async (tx) => {
    const tenant = await tenants.setStatus(tx, tenantId, status)
    if (tenant === undefined) throw new Problem(problems.tenant_not_found)
    recordAuthorizationChange(tx, 'tenant', [tenantId])
    return presentTenant(tenant)
  })
}
