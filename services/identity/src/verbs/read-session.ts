import type { CallerWith } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { maySeeSessions } from '../domain/permissions.ts'
import { isLive, presentSession } from '../domain/session.ts'
import { findSession } from '../store/sessions.ts'

/** Throws session_not_found, also for a session that the caller may not see. */
export function readSession(deps: Deps, caller: CallerWith<'user:RemoveUser'>, sessionId: string): Promise<Session> {
  const { tenantId } = caller
  return deps.db.readInTenant(tenantId, async (tx) => {
    const session = await findSession(tx, tenantId, sessionId)
    const isShown =
      session !== null &&
      maySeeSessions(caller, session.userId) &&
      isLive(session, await databaseNow(tx), deps.sessionLimits.idleMs)
    if (!isShown) throw new Problem(problems.session_not_found)
    return presentSession(session, caller.sessionId)
  })
}
