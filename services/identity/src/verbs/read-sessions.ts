import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { mayKnowSessions, type Operator } from '../domain/permissions.ts'
import { isLive, presentSession } from '../domain/session.ts'
import { requireSeenSessions } from '../membership/access-sessions.ts'
import * as sessions from '../store/sessions.ts'

/**
 * The sessions of a user, by default of the caller, newest first. Operators see every session of the tenant by default.
 * Throws session_required, and as requireSeenSessions.
 */
export async function listSessions(
  deps: Deps,
  caller: CallerWithPermissions | Operator,
  { cursor, limit }: PageQuery,
  wantedId: string | undefined,
): Promise<Page<Session>> {
  const { tenantId } = caller
  const userId = caller.actor === null ? wantedId : await requireShownUser(deps, caller, wantedId)
  const page = { before: idBefore(cursor), limit }
  const rows = await deps.db.readInTenant(tenantId, async (tx) => {
    const now = await databaseNow(tx)
    return sessions.listSessions(tx, tenantId, page, { userId, now, idleMs: deps.sessionLimits.idleMs })
  })
  return toPage(rows, limit, (row) => presentSession(row, caller.sessionId))
}

async function requireShownUser(deps: Deps, caller: CallerWithPermissions, userId: string | undefined) {
  if (userId === undefined && caller.sessionId === null) throw new Problem(problems.session_required)
  if (userId !== undefined) await requireSeenSessions(deps, caller, userId)
  return userId ?? caller.actor.id
}

/** Throws session_not_found, also for a session that the caller may not know of, and as requireSeenSessions. */
export async function readSession(deps: Deps, caller: CallerWithPermissions, sessionId: string): Promise<Session> {
  const { tenantId } = caller
  const session = await deps.db.readInTenant(tenantId, async (tx) => {
    const found = await sessions.findSession(tx, tenantId, sessionId)
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
