import type { CallerWith } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { enderOf, maySeeSessions } from '../domain/permissions.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findSession } from '../store/sessions.ts'
import { lockUsersOfTenant } from '../store/users.ts'

/**
 * Locks the user, then reads the session again: a step-up or a switch of tenant has replaced it, or waits.
 * Throws session_not_found, also for a session that the caller may not see.
 */
export function endSession(deps: Deps, caller: CallerWith<'user:RemoveUser'>, sessionId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const found = await findSession(tx, tenantId, sessionId)
    if (found === null || !maySeeSessions(caller, found.userId)) throw new Problem(problems.session_not_found)
    await lockUsersOfTenant(tx, tenantId, [found.userId])
    const session = await findSession(tx, tenantId, sessionId)
    if (session === null || (await endSessions(tx, [session], enderOf(caller, session.userId), traceId)) === 0) {
      throw new Problem(problems.session_not_found)
    }
    return undefined
  })
}
