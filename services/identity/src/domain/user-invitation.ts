import type { invitationStatuses, UserInvitation } from '@payments/contracts/services/identity/users'

export type InvitationStatus = (typeof invitationStatuses)[number]

export const invitationLifetimeMs = 7 * 24 * 3_600_000
/** Invitations of a tenant that are stored, of any status: each until 90 days after its end, or for a newer one. */
export const invitationsMax = 10_000
/** Open invitations that a person sees at once. */
export const shownInvitationsMax = 20
export const resendsMax = 10
export const resendIntervalMs = 60_000

/** The vault binds the token of a link to this purpose, the tenant and the invitation. */
export const tokenPurpose = 'identity.user-invitation'

export const encryptedColumns = [
  { table: 'user_invitations', id: 'id', column: 'token_encrypted', purpose: tokenPurpose },
]

/** The token is a fragment, so no server and no log gets it before the person continues. */
export const invitationLink = (consoleOrigin: string, token: string): string =>
  `${consoleOrigin}/session/accept#${token}`

export interface InvitationFacts {
  readonly id: string
  readonly email: string | null
  readonly roleIds: readonly string[]
  readonly locale: string | null
  readonly expiresAt: Date
  readonly acceptedAt: Date | null
  readonly canceledAt: Date | null
  readonly isDeclined: boolean
  readonly userId: string | null
  readonly createdAt: Date
  readonly createdBy: string
  readonly resendCount: number
  readonly lastSentAt: Date | null
}

export function statusAt(
  {
    acceptedAt,
    canceledAt,
    isDeclined,
    expiresAt,
  }: Pick<InvitationFacts, 'acceptedAt' | 'canceledAt' | 'isDeclined' | 'expiresAt'>,
  now: Date,
): InvitationStatus {
  if (acceptedAt !== null) return 'accepted'
  if (canceledAt !== null) return isDeclined ? 'declined' : 'canceled'
  return expiresAt > now ? 'open' : 'expired'
}

export function presentInvitation(invitation: InvitationFacts, now: Date): UserInvitation {
  return { ...presentInvitationEvent(invitation, now).user_invitation, email: invitation.email }
}

/** The payload of events of an invitation, without the email address. */
export function presentInvitationEvent(invitation: InvitationFacts, now: Date) {
  return {
    user_invitation: {
      id: invitation.id,
      role_ids: [...invitation.roleIds],
      locale: invitation.locale,
      status: statusAt(invitation, now),
      expires_at: invitation.expiresAt.toISOString(),
      resend_count: invitation.resendCount,
      last_sent_at: invitation.lastSentAt?.toISOString() ?? null,
      user_id: invitation.userId,
      created_at: invitation.createdAt.toISOString(),
      created_by: invitation.createdBy,
    },
  }
}

/** Inviter, tenant and roles of an invitation. Every text is foreign. */
export interface InvitationOrigin {
  readonly tenantName: string
  /** Null unless a user of the tenant invites. Both are null after an erasure. */
  readonly inviter: { readonly name: string | null; readonly email: string | null } | null
  /** In the order of the names. A role that was deleted is left out. */
  readonly roleNames: readonly string[]
}
