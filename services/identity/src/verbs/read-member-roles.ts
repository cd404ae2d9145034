import type { Deps } from '../deps.ts'
import { listRoleSets } from '../store/memberships.ts'

/** The different sets of roles that enabled users of a tenant have. */
export async function readMemberRoles(deps: Deps, tenantId: string): Promise<{ role_sets: string[][] }> {
  return { role_sets: await deps.db.readInTenant(tenantId, (tx) => listRoleSets(tx, tenantId)) }
}
