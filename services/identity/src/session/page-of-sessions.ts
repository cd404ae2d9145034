import { databaseNow } from '@payments/chassis/database/database-now'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'
import { presentSession } from '../domain/session.ts'
import { listSessions } from '../store/sessions.ts'

/** The sessions of a tenant, or of one of its users, newest first. `currentId`: the session of the request. */
export async function pageOfSessions(
  { db, sessionLimits }: Pick<Deps, 'db' | 'sessionLimits'>,
  tenantId: string,
  { cursor, limit }: PageQuery,
  { userId, currentId }: { readonly userId: string | undefined; readonly currentId: string | null },
): Promise<Page<Session>> {
  const page = { before: idBefore(cursor), limit }
  const rows = await db.readInTenant(tenantId, async (tx) => {
    const now = await databaseNow(tx)
    return listSessions(tx, tenantId, page, { userId, now, idleMs: sessionLimits.idleMs })
  })
  return toPage(rows, limit, (row) => presentSession(row, currentId))
}
