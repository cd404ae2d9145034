import type { CallerWith } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { enderOf, requireSessionsOf } from '../domain/permissions.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findMember, recordEndOfSessions } from '../store/memberships.ts'
import { findSessions } from '../store/sessions.ts'
import { lockUsersOfTenant } from '../store/users.ts'

/**
 * All but the session of the request. Locks the user, so no step-up or switch of tenant carries a session past the end.
 * Throws user_not_found, permission_denied.
 */
export function endSessionsOfUser(
  deps: Deps,
  caller: CallerWith<'user:RemoveUser'>,
  userId: string,
): Promise<{ ended: number }> {
  const { tenantId, traceId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockUsersOfTenant(tx, tenantId, [userId])
    if ((await findMember(tx, tenantId, userId)) === null) throw new Problem(problems.user_not_found)
    requireSessionsOf(caller, userId)
    await recordEndOfSessions(tx, tenantId, [userId])
    const sessions = await findSessions(tx, tenantId, [userId])
    const others = sessions.filter(({ id }) => id !== caller.sessionId)
    return { ended: await endSessions(tx, others, enderOf(caller, userId), traceId) }
  })
}
