import { purgeRows } from '@payments/chassis/database/purges'
import { emailAddressKey } from '@payments/contracts/grammar/email-address'
import type { InvitationStatus } from '../domain/user-invitation.ts'
import type { UserInvitationModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type InvitationRow = UserInvitationModel

export type InvitationInsert = Pick<
  UserInvitationModel,
  | 'id'
  | 'email'
  | 'emailKey'
  | 'roleIds'
  | 'locale'
  | 'tokenHash'
  | 'tokenEncrypted'
  | 'expiresAt'
  | 'createdBy'
  | 'traceId'
  | 'messageId'
  | 'mailDueAt'
>

export function insertInvitation(tx: Tx, tenantId: string, invitation: InvitationInsert): Promise<InvitationRow> {
  return tx.userInvitation.create({ data: { ...invitation, tenantId } })
}

/** Across tenants: the invitation with a token, in any state. */
export function findInvitationByTokenHash(tx: Tx, tokenHash: Uint8Array): Promise<InvitationRow | null> {
  return tx.userInvitation.findFirst({ where: { tokenHash: Uint8Array.from(tokenHash) } })
}

/** Across tenants: as findInvitationByTokenHash, by id. */
export function findInvitationById(tx: Tx, invitationId: string): Promise<InvitationRow | null> {
  return tx.userInvitation.findFirst({ where: { id: invitationId } })
}

/** Across tenants: as findInvitationById; concurrent changes of the invitation wait until this transaction ends. */
export async function lockInvitationById(tx: Tx, invitationId: string): Promise<InvitationRow | null> {
  await tx.$queryRawUnsafe('SELECT 1 FROM user_invitations WHERE id = $1::uuid FOR UPDATE', invitationId)
  return findInvitationById(tx, invitationId)
}

/** Across tenants: the open invitations for an email address, the newest first, at most `countMax`. */
export function listOpenInvitations(tx: Tx, email: string, now: Date, countMax = 100): Promise<InvitationRow[]> {
  const where = { emailKey: emailAddressKey(email), ...statusCondition('open', now) }
  return tx.userInvitation.findMany({ where, orderBy: { id: 'desc' }, take: countMax })
}

export function findInvitation(tx: Tx, tenantId: string, invitationId: string): Promise<InvitationRow | null> {
  return tx.userInvitation.findFirst({ where: { tenantId, id: invitationId } })
}

/** As findInvitation; concurrent changes of the invitation wait until this transaction ends. */
export async function lockInvitation(tx: Tx, tenantId: string, invitationId: string): Promise<InvitationRow | null> {
  await tx.$queryRawUnsafe(
    'SELECT 1 FROM user_invitations WHERE tenant_id = $1::uuid AND id = $2::uuid FOR UPDATE',
    tenantId,
    invitationId,
  )
  return findInvitation(tx, tenantId, invitationId)
}

export async function hasOpenInvitation(tx: Tx, tenantId: string, email: string, now: Date): Promise<boolean> {
  const where = { tenantId, emailKey: emailAddressKey(email), ...statusCondition('open', now) }
  return (await tx.userInvitation.findFirst({ where, select: { id: true } })) !== null
}

export function countOpen(tx: Tx, tenantId: string, now: Date, createdBy?: string): Promise<number> {
  const ofActor = createdBy === undefined ? {} : { createdBy }
  return tx.userInvitation.count({ where: { tenantId, ...ofActor, ...statusCondition('open', now) } })
}

/** The number of invitations of any status. */
export function countStored(tx: Tx, tenantId: string): Promise<number> {
  return tx.userInvitation.count({ where: { tenantId } })
}

/** Deletes the oldest ended invitations, accepted ones last. Returns the number of deleted rows. */
export function deleteOldestEnded(tx: Tx, tenantId: string, now: Date, rowsMax = 100): Promise<number> {
  return tx.$executeRawUnsafe(
    // As an array the selection runs once: as a subquery, a nested loop would lock and delete further rows.
    `DELETE FROM user_invitations WHERE tenant_id = $1::uuid AND id = ANY (ARRAY
       (SELECT id FROM user_invitations
         WHERE tenant_id = $1::uuid AND (accepted_at IS NOT NULL OR canceled_at IS NOT NULL OR expires_at <= $2)
         ORDER BY accepted_at IS NOT NULL, id LIMIT $3 FOR UPDATE SKIP LOCKED))`,
    tenantId,
    now,
    rowsMax,
  )
}

/** The number of open invitations with a role. */
export function countOpenWithRole(tx: Tx, tenantId: string, roleId: string, now: Date): Promise<number> {
  return tx.userInvitation.count({ where: { tenantId, roleIds: { has: roleId }, ...statusCondition('open', now) } })
}

/** Newest first; one more than `limit`. */
export function listInvitations(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
  { status, now }: { status: InvitationStatus | undefined; now: Date },
): Promise<InvitationRow[]> {
  return tx.userInvitation.findMany({
    where: {
      tenantId,
      ...(before === undefined ? {} : { id: { lt: before } }),
      ...(status === undefined ? {} : statusCondition(status, now)),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** As `statusAt` of the domain. */
function statusCondition(status: InvitationStatus, now: Date) {
  if (status === 'accepted') return { acceptedAt: { not: null } }
  if (status === 'canceled' || status === 'declined') {
    return { canceledAt: { not: null }, isDeclined: status === 'declined' }
  }
  const pending = { acceptedAt: null, canceledAt: null }
  if (status === 'expired') return { ...pending, expiresAt: { lte: now } }
  // An open invitation has its token: the indexes of open ones have this condition.
  return { ...pending, tokenEncrypted: { not: null }, expiresAt: { gt: now } }
}

/** Makes the links of expired invitations for an address useless, so that the address can be invited again. */
export async function removeExpiredTokens(tx: Tx, tenantId: string, email: string, now: Date): Promise<void> {
  const emailKey = emailAddressKey(email)
  const where = { tenantId, emailKey, tokenEncrypted: { not: null }, ...statusCondition('expired', now) }
  await tx.userInvitation.updateMany({ where, data: withoutLink })
}

/** The link cannot be used any more, and no mail is due. */
const withoutLink = { tokenEncrypted: null, mailDueAt: null } as const

export function accept(
  tx: Tx,
  tenantId: string,
  invitationId: string,
  { userId, acceptedAt }: { readonly userId: string; readonly acceptedAt: Date },
): Promise<InvitationRow> {
  return tx.userInvitation.update({
    where: { id: invitationId, tenantId },
    data: { userId, acceptedAt, ...withoutLink },
  })
}

export function end(
  tx: Tx,
  tenantId: string,
  invitationId: string,
  ending: { readonly canceledAt: Date; readonly isDeclined: boolean },
): Promise<InvitationRow> {
  return tx.userInvitation.update({ where: { id: invitationId, tenantId }, data: { ...ending, ...withoutLink } })
}

/** A new mail is due at once. */
export function resend(
  tx: Tx,
  tenantId: string,
  invitationId: string,
  { messageId, now }: { readonly messageId: string; readonly now: Date },
): Promise<InvitationRow> {
  return tx.userInvitation.update({
    where: { id: invitationId, tenantId },
    data: { messageId, mailDueAt: now, mailAttempts: 0, resendCount: { increment: 1 } },
  })
}

/** Across tenants: every invitation of a person: for their email address, or accepted by them. */
export function listInvitationsOfPerson(
  tx: Tx,
  { userId, email }: { readonly userId: string; readonly email: string | null },
): Promise<InvitationRow[]> {
  const OR = [{ userId }, ...(email === null ? [] : [{ emailKey: emailAddressKey(email) }])]
  return tx.userInvitation.findMany({ where: { OR }, orderBy: { id: 'asc' } })
}

/** Across tenants: as listInvitationsOfPerson; concurrent changes wait until this transaction ends. */
export async function lockInvitationsOfPerson(
  tx: Tx,
  person: { readonly userId: string; readonly email: string | null },
): Promise<InvitationRow[]> {
  await tx.$queryRawUnsafe(
    'SELECT 1 FROM user_invitations WHERE user_id = $1::uuid OR email_key = $2::text ORDER BY id FOR UPDATE',
    person.userId,
    person.email === null ? null : emailAddressKey(person.email),
  )
  return listInvitationsOfPerson(tx, person)
}

/** Across tenants: erases the email address of these invitations, which are not open. */
export async function eraseEmails(tx: Tx, invitationIds: readonly string[]): Promise<void> {
  const data = { email: null, emailKey: null, ...withoutLink }
  await tx.userInvitation.updateMany({ where: { id: { in: [...invitationIds] } }, data })
}

/** Across tenants: removes the encrypted tokens of expired invitations. Returns the number of changed rows. */
export function purgeTokens(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE user_invitations SET token_encrypted = NULL, mail_due_at = NULL WHERE id = ANY (ARRAY
       (SELECT id FROM user_invitations WHERE token_encrypted IS NOT NULL AND expires_at < now()
         LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}

/** Across tenants: deletes invitations 90 days after their end. */
export const purgeInvitations = purgeRows(
  'user_invitations',
  'id',
  "coalesce(accepted_at, canceled_at, expires_at) < now() - interval '90 days'",
)
