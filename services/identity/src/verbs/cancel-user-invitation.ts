import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { identityContract } from '@payments/contracts/services/identity/contract'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentInvitation, presentInvitationEvent } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import * as invitations from '../store/user-invitations.ts'
import { lockOpenInvitation } from '../user-invitation/lock-open-invitation.ts'
import { withoutEmail } from '../user-invitation/stored-reply.ts'

/** Throws user_invitation_not_found, user_invitation_not_open. */
export function cancelUserInvitation(deps: Deps, caller: Caller, invitationId: string): Promise<UserInvitation> {
  const { tenantId, traceId } = caller
  const cancel = async (tx: Tx) => {
    const { now } = await lockOpenInvitation(tx, tenantId, invitationId)
    const canceled = await invitations.cancel(tx, tenantId, invitationId, now)
    const payload = presentInvitationEvent(canceled, now)
    const type = 'identity.user-invitations.cancel'
    await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
    return presentInvitation(canceled, now)
  }
  return once(deps.db, caller, cancel, withoutEmail(tenantId))
}
