import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import { emailAddressKey } from '@payments/contracts/grammar/email-address'
import { Problem } from '@payments/contracts/grammar/problem'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { problems } from '@payments/contracts/services/identity/problems'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import { emit } from '@payments/messaging/outbox/outbox'
import { hashSecret } from '../domain/sign-in.ts'
import { hasSeat } from '../domain/user.ts'
import {
  invitationLifetimeMs,
  invitationsMax,
  presentInvitation,
  presentInvitationEvent,
} from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import { countMembers, findMembersWithEmail, lockMembers } from '../store/memberships.ts'
import {
  countOpen,
  countStored,
  deleteOldestEnded,
  hasOpenInvitation,
  insertInvitation,
  removeExpiredTokens,
} from '../store/user-invitations.ts'
import type { newInvitationSecret } from './invitation-secret.ts'

interface NewInvitation {
  readonly secret: Awaited<ReturnType<typeof newInvitationSecret>>
  readonly email: string
  readonly roleIds: readonly string[]
  /** Language of the mail. Null: English. */
  readonly locale: string | null
  readonly createdBy: string
  readonly traceId: string
}

const errorsOfEmail = {
  already_member: 'is the address of a user of the tenant',
  user_invitation_exists: 'is the address of an open invitation',
} as const

function emailTaken(code: keyof typeof errorsOfEmail): Problem {
  const errors = [{ pointer: '/email', detail: errorsOfEmail[code] }]
  return new Problem(problems[code], { detail: problems[code].title, errors })
}

async function requireSeat(
  tx: Tx,
  tenantId: string,
  { createdBy, now }: { readonly createdBy: string; readonly now: Date },
): Promise<void> {
  const [members, open] = [await countMembers(tx, tenantId), await countOpen(tx, tenantId, now)]
  const ofActor = await countOpen(tx, tenantId, now, createdBy)
  if (hasSeat({ members, open, ofActor, isOperator: createdBy.startsWith('service:') })) return
  const has = `The tenant has ${members} users and ${open} open invitations, ${ofActor} of them by the caller`
  throw new Problem(problems.too_many_users, { detail: has })
}

/** Ended invitations do not prevent a new one: their events and audit records stay. */
async function requireStorage(tx: Tx, tenantId: string, now: Date): Promise<void> {
  if ((await countStored(tx, tenantId)) < invitationsMax) return
  if ((await deleteOldestEnded(tx, tenantId, now)) === 0) throw new Problem(problems.too_many_users)
}

/**
 * Stores an invitation, whose mail is due at once, with its event. The roles are resolved.
 * Throws already_member, user_invitation_exists, too_many_users.
 */
export async function storeInvitation(
  tx: Tx,
  tenantId: string,
  { secret, email, roleIds, locale, createdBy, traceId }: NewInvitation,
): Promise<UserInvitation> {
  await lockMembers(tx, tenantId)
  const now = await databaseNow(tx)
  if ((await findMembersWithEmail(tx, tenantId, email)).length > 0) throw emailTaken('already_member')
  if (await hasOpenInvitation(tx, tenantId, email, now)) throw emailTaken('user_invitation_exists')
  await requireSeat(tx, tenantId, { createdBy, now })
  await requireStorage(tx, tenantId, now)
  await removeExpiredTokens(tx, tenantId, email, now)
  const invitation = await insertInvitation(tx, tenantId, {
    id: secret.id,
    email,
    emailKey: emailAddressKey(email),
    roleIds: [...new Set(roleIds)].sort(),
    locale,
    tokenHash: hashSecret(secret.token),
    tokenEncrypted: secret.tokenEncrypted,
    expiresAt: new Date(now.getTime() + invitationLifetimeMs),
    createdBy,
    traceId,
    messageId: newId(),
    mailDueAt: now,
  })
  const payload = presentInvitationEvent(invitation, now)
  const type = 'identity.user-invitations.create'
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  return presentInvitation(invitation, now)
}
