import type { Caller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { presentInvitation } from '../domain/user-invitation.ts'
import { findInvitation } from '../store/user-invitations.ts'

/** Throws user_invitation_not_found. */
export function readUserInvitation(deps: Deps, { tenantId }: Caller, invitationId: string): Promise<UserInvitation> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const invitation = await findInvitation(tx, tenantId, invitationId)
    if (invitation === null) throw new Problem(problems.user_invitation_not_found)
    return presentInvitation(invitation, await databaseNow(tx))
  })
}
