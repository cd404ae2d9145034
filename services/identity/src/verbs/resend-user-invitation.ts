import type { Caller } from '@payments/chassis/base/caller'
import { firstIdAt, newId } from '@payments/chassis/base/id'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { presentInvitation, resendIntervalMs, resendsMax } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import * as invitations from '../store/user-invitations.ts'
import { lockOpenInvitation } from '../user-invitation/end-invitations.ts'
import { withoutEmail } from '../user-invitation/stored-reply.ts'

/**
 * Sends the mail again, with the same link.
 * Throws user_invitation_not_found, user_invitation_not_open, resend_too_soon, resend_limit_reached.
 */
export async function resendUserInvitation(deps: Deps, caller: Caller, invitationId: string): Promise<UserInvitation> {
  const { tenantId } = caller
  const resend = async (tx: Tx) => {
    const { invitation, now } = await lockOpenInvitation(tx, tenantId, invitationId)
    if (invitation.resendCount >= resendsMax) throw new Problem(problems.resend_limit_reached)
    // The id of a mail is created with its decision, so ids have the order of time.
    if (invitation.messageId >= firstIdAt(new Date(now.getTime() - resendIntervalMs))) {
      throw new Problem(problems.resend_too_soon, { retryAfterSeconds: resendIntervalMs / 1_000 })
    }
    const resent = await invitations.resend(tx, tenantId, invitationId, { messageId: newId(), now })
    return presentInvitation(resent, now)
  }
  const sent = await once(deps.db, caller, resend, withoutEmail(tenantId))
  deps.mails.wake()
  return sent
}
