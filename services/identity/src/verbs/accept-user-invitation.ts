import type { PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashSecret, isSecret } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { readField } from '../pages/page.ts'
import { bindInvitation } from '../sign-in/open-sign-in.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import { findInvitationByTokenHash } from '../store/user-invitations.ts'

/** Binds the invitation to the browser. The token goes no further: the sign-in knows the invitation by its id. */
export function acceptUserInvitation(deps: Deps, caller: PublicCaller, raw: RawBody): Promise<PageReply> {
  return withFailurePage(deps, caller, { operation: 'acceptUserInvitation' }, async (browser) => {
    const token = readField('token', raw)
    if (!isSecret(token)) throw new SignInFailed('unreadable')
    return deps.db.acrossTenants(async (tx) => {
      const invitation = await findInvitationByTokenHash(tx, hashSecret(token))
      if (invitation === null) throw new SignInFailed('invitation_unknown')
      const status = statusAt(invitation, await databaseNow(tx))
      if (status === 'accepted') throw new SignInFailed('invitation_accepted')
      if (status === 'declined') throw new SignInFailed('invitation_declined')
      if (status !== 'open') throw new SignInFailed('invitation_closed')
      return bindInvitation(tx, browser, invitation.id)
    })
  })
}
