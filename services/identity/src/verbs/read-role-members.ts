import { databaseNow } from '@payments/chassis/database/database-now'
import type { Deps } from '../deps.ts'
import { countWithRole, listRoleSets } from '../store/memberships.ts'
import { countOpenWithRole } from '../store/user-invitations.ts'

/** The number of users, disabled ones included, and of open invitations that have the role. */
export function countRoleMembers({ db }: Deps, tenantId: string, roleId: string): Promise<{ count: number }> {
  return db.readInTenant(tenantId, async (tx) => {
    const users = await countWithRole(tx, tenantId, roleId)
    return { count: users + (await countOpenWithRole(tx, tenantId, roleId, await databaseNow(tx))) }
  })
}

/** The different sets of roles that enabled users of a tenant have. */
export async function readMemberRoles({ db }: Deps, tenantId: string): Promise<{ role_sets: string[][] }> {
  return { role_sets: await db.readInTenant(tenantId, (tx) => listRoleSets(tx, tenantId)) }
}
