import type { Self } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'

const shownMax = 100
/** Calls of rbac at the same time. */
const callsMax = 8

/** The tenants that a person may switch to, with their names, oldest membership first. */
export async function membershipsOfPerson(
  deps: Pick<Deps, 'db' | 'rbac'>,
  { userId, traceId }: { readonly userId: string; readonly traceId: string },
): Promise<Self['memberships']> {
  const found = await deps.db.acrossTenants((tx) => listMembershipsOfPerson(tx, userId))
  const tenantIds = found
    .filter(({ enabled }) => enabled)
    .slice(0, shownMax)
    .map(({ tenantId }) => tenantId)
  const shown: Self['memberships'] = []
  for (let from = 0; from < tenantIds.length; from += callsMax) {
    const batch = tenantIds.slice(from, from + callsMax)
    const tenants = await Promise.all(
      batch.map((tenantId) => deps.rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } })),
    )
    shown.push(...tenants.map(({ id, name }) => ({ tenant_id: id, tenant_name: name })))
  }
  return shown
}
