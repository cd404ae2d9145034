import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { mayKnowSessions } from '../domain/permissions.ts'
import { isLive, presentSession } from '../domain/session.ts'
import { requireSeenSessions } from '../membership/access-sessions.ts'
import { findSession } from '../store/sessions.ts'

/** Throws session_not_found, also for a session that the caller may not know of, and as requireSeenSessions. */
export async function readSession(deps: Deps, caller: CallerWithPermissions, sessionId: string): Promise<Session> {
  const { tenantId } = caller
  const session = await deps.db.readInTenant(tenantId, async (tx) => {
    const found = await findSession(tx, tenantId, sessionId)
    const isShown =
      found !== null &&
      mayKnowSessions(caller, found.userId) &&
      isLive(found, await databaseNow(tx), deps.sessionLimits.idleMs)
    if (!isShown) throw new Problem(problems.session_not_found)
    return found
  })
  await requireSeenSessions(deps, caller, session.userId)
  return presentSession(session, caller.sessionId)
}
