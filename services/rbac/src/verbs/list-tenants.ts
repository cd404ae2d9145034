import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Tenant, TenantStatus } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentTenant } from '../domain/tenant.ts'
import * as tenants from '../store/tenants.ts'

/** For operators: the tenants of the platform, newest first. `status` undefined: of every status. */
export async function listTenants(
  deps: Deps,
  status: TenantStatus | undefined,
  { cursor, limit }: PageQuery,
): Promise<Page<Tenant>> {
  const before = idBefore(cursor)
  const rows = await deps.db.acrossTenants((tx) => tenants.list(tx, { status, before, limit }))
  return toPage(rows, limit, presentTenant)
}
