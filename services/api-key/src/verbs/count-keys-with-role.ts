import type { Deps } from '../deps.ts'
import { countKeysWithRole as countKeysWithRoleOf } from '../store/keys.ts'

/** How many keys have the role, whether or not they can be used. */
export async function countKeysWithRole(deps: Deps, tenantId: string, roleId: string): Promise<{ count: number }> {
  return { count: await deps.db.inTenant(tenantId, (tx) => countKeysWithRoleOf(tx, tenantId, roleId)) }
}
