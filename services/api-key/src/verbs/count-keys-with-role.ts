import type { Deps } from '../deps.ts'
import * as keys from '../store/keys.ts'

/** The number of keys that have the role, disabled and expired keys included. */
export async function countKeysWithRole(deps: Deps, tenantId: string, roleId: string): Promise<{ count: number }> {
  return { count: await deps.db.readInTenant(tenantId, (tx) => keys.countWithRole(tx, tenantId, roleId)) }
}
