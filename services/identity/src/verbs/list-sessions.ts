import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { requireSeenSessions } from '../membership/access-sessions.ts'
import { pageOfSessions } from '../session/page-of-sessions.ts'

/** Throws session_required, and as requireSeenSessions. */
export async function listSessions(
  deps: Deps,
  caller: CallerWithPermissions,
  query: PageQuery,
  userId: string | undefined,
): Promise<Page<Session>> {
  const { tenantId, sessionId: currentId } = caller
  if (userId === undefined && currentId === null) throw new Problem(problems.session_required)
  if (userId !== undefined) await requireSeenSessions(deps, caller, userId)
  return pageOfSessions(deps, tenantId, query, { userId: userId ?? caller.actor.id, currentId })
}
