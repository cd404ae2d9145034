import { databaseNow } from '@payments/chassis/database/database-now'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { isInvited } from '../domain/admission.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { presentInvitationEvent, statusAt } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import { decline, type InvitationRow, lockInvitationById } from '../store/user-invitations.ts'

/**
 * Ends an open invitation for a person who does not want it, in a transaction across tenants. Returns it. Throws
 * SignInFailed, also for one of another email address.
 */
export async function declineInvitation(
  tx: Tx,
  invitationId: string,
  { email, traceId }: { readonly email: string | null; readonly traceId: string },
): Promise<InvitationRow> {
  const invitation = await lockInvitationById(tx, invitationId)
  if (invitation === null || !isInvited(invitation, email)) {
    throw new SignInFailed('invitation_unknown')
  }
  const now = await databaseNow(tx)
  if (statusAt(invitation, now) !== 'open') throw new SignInFailed('invitation_closed')
  const { tenantId } = invitation
  const declined = await decline(tx, tenantId, invitationId, now)
  const payload = presentInvitationEvent(declined, now)
  const type = 'identity.user-invitations.decline'
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  return declined
}
