import type { CallerWith } from '@payments/chassis/base/caller'
import { type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { requireSessionsOf } from '../domain/permissions.ts'
import { pageOfSessions } from '../session/page-of-sessions.ts'
import { findMember } from '../store/memberships.ts'

/** Throws session_required, user_not_found, permission_denied. */
export async function listSessions(
  deps: Deps,
  caller: CallerWith<'user:RemoveUser'>,
  query: PageQuery,
  userId: string | undefined,
): Promise<Page<Session>> {
  const { tenantId, sessionId: currentId } = caller
  if (userId === undefined && currentId === null) throw new Problem(problems.session_required)
  if (userId !== undefined) {
    const member = await deps.db.readInTenant(tenantId, (tx) => findMember(tx, tenantId, userId))
    if (member === null) throw new Problem(problems.user_not_found)
    requireSessionsOf(caller, userId)
  }
  return pageOfSessions(deps, tenantId, query, { userId: userId ?? caller.actor.id, currentId })
}
