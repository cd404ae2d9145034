import type { Caller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { idBefore, type Page, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import { problems } from '@payments/contracts/services/identity/problems'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import type { Operator } from '../domain/permissions.ts'
import { presentInvitation } from '../domain/user-invitation.ts'
import { findInvitation, listInvitations } from '../store/user-invitations.ts'

type InvitationQuery = RequestOf<typeof identityContract.endpoints.listUserInvitations>['query']

/** Newest first. */
export async function listUserInvitations(
  { db }: Deps,
  { tenantId }: Caller | Operator,
  { cursor, limit, status }: InvitationQuery,
): Promise<Page<UserInvitation>> {
  const page = { before: idBefore(cursor), limit }
  const { rows, now } = await db.readInTenant(tenantId, async (tx) => {
    const now = await databaseNow(tx)
    return { now, rows: await listInvitations(tx, tenantId, page, { status, now }) }
  })
  return toPage(rows, limit, (row) => presentInvitation(row, now))
}

/** Throws user_invitation_not_found. */
export function readUserInvitation(
  { db }: Deps,
  { tenantId }: Caller | Operator,
  invitationId: string,
): Promise<UserInvitation> {
  return db.readInTenant(tenantId, async (tx) => {
    const invitation = await findInvitation(tx, tenantId, invitationId)
    if (invitation === null) throw new Problem(problems.user_invitation_not_found)
    return presentInvitation(invitation, await databaseNow(tx))
  })
}
