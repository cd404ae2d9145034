import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { problems } from '@payments/contracts/services/identity/problems'
import { emit } from '@payments/messaging/outbox/outbox'
import { isInvited } from '../domain/admission.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { presentInvitationEvent, statusAt } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import * as invitations from '../store/user-invitations.ts'

type InvitationRow = invitations.InvitationRow

/** Locks an open invitation. Throws user_invitation_not_found, user_invitation_not_open. */
export async function lockOpenInvitation(
  tx: Tx,
  tenantId: string,
  invitationId: string,
): Promise<{ invitation: InvitationRow; now: Date }> {
  const invitation = await invitations.lockInvitation(tx, tenantId, invitationId)
  if (invitation === null) throw new Problem(problems.user_invitation_not_found)
  const now = await databaseNow(tx)
  const status = statusAt(invitation, now)
  if (status === 'open') return { invitation, now }
  throw new Problem(problems.user_invitation_not_open, { detail: `The status of the invitation is ${status}` })
}

/** Ends an open invitation that the transaction has locked, with its event. */
export async function endInvitation(
  tx: Tx,
  { tenantId, id }: InvitationRow,
  end: 'cancel' | 'decline',
  now: Date,
  traceId: string,
): Promise<InvitationRow> {
  const ended = await invitations.end(tx, tenantId, id, { canceledAt: now, isDeclined: end === 'decline' })
  const payload = presentInvitationEvent(ended, now)
  const type = `identity.user-invitations.${end}` as const
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  return ended
}

/**
 * Ends an open invitation for a person who does not want it, in a transaction across tenants. Throws SignInFailed, also
 * for an invitation of another email address.
 */
export async function declineInvitation(
  tx: Tx,
  invitationId: string,
  { email, traceId }: { readonly email: string | null; readonly traceId: string },
): Promise<InvitationRow> {
  const invitation = await invitations.lockInvitationById(tx, invitationId)
  if (invitation === null || !isInvited(invitation, email)) throw new SignInFailed('invitation_unknown')
  const now = await databaseNow(tx)
  if (statusAt(invitation, now) !== 'open') throw new SignInFailed('invitation_closed')
  return endInvitation(tx, invitation, 'decline', now, traceId)
}

/** Erases the email address of the invitations of a person, in a transaction across tenants. Open ones are canceled. */
export async function eraseInvitations(
  tx: Tx,
  person: { readonly userId: string; readonly email: string | null },
  traceId: string,
): Promise<void> {
  const now = await databaseNow(tx)
  const found = await invitations.lockInvitationsOfPerson(tx, person)
  const open = found.filter((one) => statusAt(one, now) === 'open')
  for (const invitation of open) await endInvitation(tx, invitation, 'cancel', now, traceId)
  const ids = found.map(({ id }) => id)
  await invitations.eraseEmails(tx, ids)
}
