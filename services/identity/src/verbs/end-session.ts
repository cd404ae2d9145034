import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { maySeeSessions } from '../domain/permissions.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findSession } from '../store/sessions.ts'

/** Throws session_not_found, also for a session that the caller may not see. */
export function endSession(deps: Deps, caller: Caller, sessionId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const session = await findSession(tx, tenantId, sessionId)
    if (session === null || !maySeeSessions(caller, session.userId)) throw new Problem(problems.session_not_found)
    const ended = await endSessions(tx, [session], traceId)
    if (ended === 0) throw new Problem(problems.session_not_found)
    return undefined
  })
}
