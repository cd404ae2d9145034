import { databaseNow } from '@payments/chassis/database/database-now'
import type { Deps } from '../deps.ts'
import { countWithRole } from '../store/memberships.ts'
import { countOpenWithRole } from '../store/user-invitations.ts'

/** The number of users, disabled ones included, and of open invitations that have the role. */
export function countRoleMembers(deps: Deps, tenantId: string, roleId: string): Promise<{ count: number }> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const users = await countWithRole(tx, tenantId, roleId)
    return { count: users + (await countOpenWithRole(tx, tenantId, roleId, await databaseNow(tx))) }
  })
}
