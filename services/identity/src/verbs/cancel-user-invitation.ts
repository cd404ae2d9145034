import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems } from '@payments/contracts/services/identity/problems'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { grantedPermissions } from '../domain/permissions.ts'
import { presentInvitation } from '../domain/user-invitation.ts'
import { resolveGrants } from '../membership/role-grants.ts'
import type { Tx } from '../store/database.ts'
import { findInvitation } from '../store/user-invitations.ts'
import { endInvitation, lockOpenInvitation } from '../user-invitation/end-invitations.ts'
import { withoutEmail } from '../user-invitation/stored-reply.ts'

/**
 * Takes the roles of the invitation from the person, so the caller needs their permissions, as for a removal.
 * Throws user_invitation_not_found, user_invitation_not_open, would_exceed_own_permissions, service_unavailable.
 */
export async function cancelUserInvitation(
  deps: Deps,
  caller: CallerWithPermissions,
  invitationId: string,
): Promise<UserInvitation> {
  const { tenantId, traceId } = caller
  const found = await deps.db.readInTenant(tenantId, (tx) => findInvitation(tx, tenantId, invitationId))
  if (found === null) throw new Problem(problems.user_invitation_not_found)
  const { grants } = await resolveGrants(deps, caller, found.roleIds, 'authorize')
  const cancel = async (tx: Tx) => {
    requireHeldPermissions(caller, grantedPermissions(grants, found.roleIds))
    const { invitation, now } = await lockOpenInvitation(tx, tenantId, invitationId)
    return presentInvitation(await endInvitation(tx, invitation, 'cancel', now, traceId), now)
  }
  return once(deps.db, caller, cancel, withoutEmail(tenantId))
}
