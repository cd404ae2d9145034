import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type TenantWithRoles } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import { type NamedRole, selectRoleNames } from '../store/roles.ts'
import { selectTenant, type TenantRow } from '../store/tenants.ts'

/** Throws tenant_not_found. */
export async function readTenant(deps: Deps, tenantId: string): Promise<TenantWithRoles> {
  const statements = [selectTenant(tenantId), selectRoleNames(tenantId)]
  const [[tenant], roles] = await deps.db.pipelined<[TenantRow[], NamedRole[]]>(tenantId, statements)
  if (tenant === undefined) throw new Problem(problems.tenant_not_found)
  return { ...presentTenant(tenant), roles }
}
