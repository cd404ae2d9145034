import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { endReason } from '../domain/permissions.ts'
import { changeSessions } from '../membership/access-sessions.ts'
import { endSessions } from '../session/end-sessions.ts'
import { recordEndOfSessions } from '../store/memberships.ts'
import { findSessions } from '../store/sessions.ts'

/** All but the session of the request. Throws as requireSeenSessions. */
export function endSessionsOfUser(
  deps: Deps,
  caller: CallerWithPermissions,
  userId: string,
): Promise<{ ended: number }> {
  const { tenantId, traceId } = caller
  return changeSessions(deps, caller, userId, async (tx) => {
    await recordEndOfSessions(tx, tenantId, [userId])
    const sessions = await findSessions(tx, tenantId, [userId])
    const others = sessions.filter(({ id }) => id !== caller.sessionId)
    return { ended: await endSessions(tx, others, endReason(caller, userId), traceId) }
  })
}
