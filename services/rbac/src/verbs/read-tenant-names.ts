import type { TenantStatus } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { findTenants } from '../store/tenants.ts'

/** For the tenants of one person, in one call. An unknown tenant is missing from the reply. */
export async function readTenantNames(
  deps: Deps,
  tenantIds: readonly string[],
): Promise<{ tenants: { id: string; name: string; status: TenantStatus }[] }> {
  const found = await deps.db.acrossTenants((tx) => findTenants(tx, tenantIds))
  return { tenants: found.map(({ id, name, status }) => ({ id, name, status })) }
}
