import type { Self } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'

/** The limit of one call of rbac. */
const shownMax = 100
/** The active tenants that a person may switch to, with their names, oldest membership first. */
export async function membershipsOfPerson(
  deps: Pick<Deps, 'db' | 'rbac'>,
  { userId, traceId }: { readonly userId: string; readonly traceId: string },
): Promise<Self['memberships']> {
  const found = await deps.db.acrossTenants((tx) => listMembershipsOfPerson(tx, userId))
  const tenantIds = found
    .filter(({ enabled }) => enabled)
    .slice(0, shownMax)
    .map(({ tenantId }) => tenantId)
  const { tenants } = await deps.rbac.readTenantNames({ traceId }, { body: { tenant_ids: tenantIds } })
  const active = new Map(tenants.filter(({ status }) => status === 'active').map(({ id, name }) => [id, name]))
  return tenantIds.flatMap((id) => {
    const name = active.get(id)
    return name === undefined ? [] : [{ tenant_id: id, tenant_name: name }]
  })
}
