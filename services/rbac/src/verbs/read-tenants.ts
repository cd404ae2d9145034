import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  problems,
  type Tenant,
  type TenantStatus,
  type TenantWithRoles,
} from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import { type NamedRole, selectRoleNames } from '../store/roles.ts'
import * as tenants from '../store/tenants.ts'

/** Throws tenant_not_found. */
export async function readTenant({ db }: Deps, tenantId: string): Promise<TenantWithRoles> {
  const statements = [tenants.selectTenant(tenantId), selectRoleNames(tenantId)]
  const [[tenant], roles] = await db.pipelined<[tenants.TenantRow[], NamedRole[]]>(tenantId, statements)
  if (tenant === undefined) throw new Problem(problems.tenant_not_found)
  return { ...presentTenant(tenant), roles }
}

/** For operators: the tenants of the platform, newest first. `status` undefined: of every status. */
export async function listTenants(
  { db }: Deps,
  status: TenantStatus | undefined,
  { cursor, limit }: PageQuery,
): Promise<Page<Tenant>> {
  const before = idBefore(cursor)
  const rows = await db.acrossTenants((tx) => tenants.list(tx, { status, before, limit }))
  return toPage(rows, limit, presentTenant)
}

/** For the tenants of one person, in one call. An unknown tenant is missing from the reply. */
export async function readTenantNames(
  { db }: Deps,
  tenantIds: readonly string[],
): Promise<{ tenants: { id: string; name: string; status: TenantStatus }[] }> {
  const found = await db.acrossTenants((tx) => tenants.findTenants(tx, tenantIds))
  return { tenants: found.map(({ id, name, status }) => ({ id, name, status })) }
}
