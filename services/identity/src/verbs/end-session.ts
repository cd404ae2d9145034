import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { endReason, mayKnowSessions } from '../domain/permissions.ts'
import { changeSessions } from '../membership/access-sessions.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findSession } from '../store/sessions.ts'

/**
 * Locks the user, then reads the session again: a step-up or a switch of tenant has replaced it, or waits.
 * Throws session_not_found, also for a session that the caller may not know of, and as requireSeenSessions.
 */
export async function endSession(deps: Deps, caller: CallerWithPermissions, sessionId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  const found = await deps.db.readInTenant(tenantId, (tx) => findSession(tx, tenantId, sessionId))
  if (found === null || !mayKnowSessions(caller, found.userId)) throw new Problem(problems.session_not_found)
  return changeSessions(deps, caller, found.userId, async (tx) => {
    const session = await findSession(tx, tenantId, sessionId)
    if (session === null || (await endSessions(tx, [session], endReason(caller, session.userId), traceId)) === 0) {
      throw new Problem(problems.session_not_found)
    }
    return undefined
  })
}
