import type { ServiceCaller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { removeMember } from '../membership/remove-member.ts'
import { lockMember, lockMembers } from '../store/memberships.ts'
import { lockUsersOfTenant } from '../store/users.ts'

/** For operators: removes any user, also the last administrator. Throws user_not_found. */
export function removeUserOfTenant(
  deps: Deps,
  { traceId }: ServiceCaller,
  tenantId: string,
  userId: string,
): Promise<undefined> {
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockMembers(tx, tenantId)
    await lockUsersOfTenant(tx, tenantId, [userId])
    if ((await lockMember(tx, tenantId, userId)) === null) throw new Problem(problems.user_not_found)
    await removeMember(tx, { tenantId, userId }, traceId)
    return undefined
  })
}
