import { databaseNow } from '@payments/chassis/database/database-now'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { type InvitationStatus, presentInvitation } from '../domain/user-invitation.ts'
import { listInvitations } from '../store/user-invitations.ts'

export interface InvitationQuery extends PageQuery {
  readonly status?: InvitationStatus | undefined
}

/** Newest first. */
export async function pageOfInvitations(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  { cursor, limit, status }: InvitationQuery,
): Promise<Page<UserInvitation>> {
  const page = { before: idBefore(cursor), limit }
  const { rows, now } = await db.readInTenant(tenantId, async (tx) => {
    const now = await databaseNow(tx)
    return { now, rows: await listInvitations(tx, tenantId, page, { status, now }) }
  })
  return toPage(rows, limit, (row) => presentInvitation(row, now))
}
