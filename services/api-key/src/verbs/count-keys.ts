import type { Deps } from '../deps.ts'
import * as keys from '../store/keys.ts'

/** The number of keys of the tenant, and of those that are usable: enabled, not expired, with a role. */
export function countKeys(deps: Deps, tenantId: string): Promise<{ total: number; usable: number }> {
  return deps.db.readInTenant(tenantId, async (tx) => ({
    total: await keys.count(tx, tenantId),
    usable: await keys.countUsable(tx, tenantId, new Date()),
  }))
}
