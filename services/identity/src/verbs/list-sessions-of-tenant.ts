import type { Page, PageQuery } from '@payments/contracts/grammar/page'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { pageOfSessions } from '../session/page-of-sessions.ts'

/** For operators. */
export function listSessionsOfTenant(
  deps: Deps,
  tenantId: string,
  query: PageQuery,
  userId: string | undefined,
): Promise<Page<Session>> {
  return pageOfSessions(deps, tenantId, query, { userId, currentId: null })
}
