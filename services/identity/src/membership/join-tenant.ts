import { databaseNow } from '@payments/chassis/database/database-now'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { presentUserEvent } from '../domain/user.ts'
import { presentInvitationEvent } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import { insertMembership, lockMember, type MemberRow, type MembershipInsert } from '../store/memberships.ts'
import { accept, type InvitationRow } from '../store/user-invitations.ts'
import { markUsed } from '../store/users.ts'

/**
 * Accepts an open invitation that the transaction, across tenants, has locked; the person is locked too. The caller has
 * checked that the invitation is open and that the sign-in provider verified its email address. A person who is already
 * a user of the tenant keeps their roles.
 */
export async function acceptInvitation(
  tx: Tx,
  invitation: InvitationRow,
  userId: string,
  traceId: string,
): Promise<MemberRow> {
  const { tenantId, roleIds, createdBy } = invitation
  const existing = await lockMember(tx, tenantId, userId)
  const member = existing ?? (await join(tx, tenantId, { userId, roleIds, providerId: null, createdBy }, traceId))
  const acceptedAt = await databaseNow(tx)
  const accepted = await accept(tx, tenantId, invitation.id, { userId, acceptedAt })
  const payload = presentInvitationEvent(accepted, acceptedAt)
  const type = 'identity.user-invitations.accept'
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  return member
}

/** Makes a person, whom the transaction has locked, a user of the tenant. */
export async function join(
  tx: Tx,
  tenantId: string,
  membership: MembershipInsert,
  traceId: string,
): Promise<MemberRow> {
  const member = await insertMembership(tx, tenantId, membership)
  await markUsed(tx, membership.userId)
  await emitUser(tx, 'identity.users.create', member, traceId)
  return member
}

export async function emitUser(
  tx: Tx,
  type: 'identity.users.create' | 'identity.users.update',
  member: MemberRow,
  traceId: string,
): Promise<void> {
  const payload = presentUserEvent(member)
  await emit(tx, identityContract.events, { type, tenantId: member.tenantId, businessUnitId: null, traceId, payload })
}
