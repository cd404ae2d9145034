import type { ReplyRedaction } from '@payments/chassis/request/idempotency'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Tx } from '../store/database.ts'
import { findInvitation } from '../store/user-invitations.ts'

/**
 * Stores the reply to an idempotent request without the email address, so that an erasure has no copy to find. A
 * repeated request gets the address of the invitation as it is then: null after an erasure.
 */
export const withoutEmail = (tenantId: string): ReplyRedaction<Tx, UserInvitation> => ({
  redact: (invitation) => ({ ...invitation, email: null }),
  restore: async (tx, stored) => {
    const invitation = stored as UserInvitation
    return { ...invitation, email: (await findInvitation(tx, tenantId, invitation.id))?.email ?? null }
  },
})
