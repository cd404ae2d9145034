import type { ServiceCaller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { removeMember } from '../membership/remove-member.ts'
import { listMembershipsOfPerson, lockMember } from '../store/memberships.ts'
import { eraseProfile, lockUser } from '../store/users.ts'
import { eraseInvitations } from '../user-invitation/end-invitations.ts'

/**
 * For operators: removes a person from every tenant, and erases name, email address and subjects. The row with the id
 * stays until the purge. Locks the person first, so a sign-in does not join a tenant meanwhile. Throws user_not_found.
 */
export function eraseUser(
  deps: Deps,
  { traceId }: ServiceCaller,
  userId: string,
): Promise<{ user_id: string; tenant_ids: string[] }> {
  return deps.db.acrossTenants(async (tx) => {
    const user = await lockUser(tx, userId)
    if (user === null) throw new Problem(problems.user_not_found)
    await eraseInvitations(tx, { userId, email: user.email }, traceId)
    const tenantIds = (await listMembershipsOfPerson(tx, userId)).map(({ tenantId }) => tenantId)
    for (const tenantId of tenantIds) {
      if ((await lockMember(tx, tenantId, userId)) !== null) await removeMember(tx, { tenantId, userId }, traceId)
    }
    await eraseProfile(tx, userId)
    return { user_id: userId, tenant_ids: tenantIds }
  })
}
