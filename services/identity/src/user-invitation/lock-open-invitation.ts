import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import { statusAt } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import { type InvitationRow, lockInvitation } from '../store/user-invitations.ts'

/** Locks an open invitation. Throws user_invitation_not_found, user_invitation_not_open. */
export async function lockOpenInvitation(
  tx: Tx,
  tenantId: string,
  invitationId: string,
): Promise<{ invitation: InvitationRow; now: Date }> {
  const invitation = await lockInvitation(tx, tenantId, invitationId)
  if (invitation === null) throw new Problem(problems.user_invitation_not_found)
  const now = await databaseNow(tx)
  const status = statusAt(invitation, now)
  if (status === 'open') return { invitation, now }
  throw new Problem(problems.user_invitation_not_open, { detail: `The status of the invitation is ${status}` })
}
