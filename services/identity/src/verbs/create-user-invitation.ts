import { actorName, type CallerWithPermissions } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { grantedPermissions, unknownRole } from '../domain/permissions.ts'
import { resolveGrants } from '../membership/role-grants.ts'
import type { Tx } from '../store/database.ts'
import { newInvitationSecret } from '../user-invitation/invitation-secret.ts'
import { storeInvitation } from '../user-invitation/store-invitation.ts'
import { withoutEmail } from '../user-invitation/stored-reply.ts'

type Invited = RequestOf<typeof identityContract.endpoints.createUserInvitation>['body']

/**
 * rbac resolves the roles before the transaction.
 * Throws unknown_role, would_exceed_own_permissions, already_member, user_invitation_exists, too_many_users.
 */
export async function createUserInvitation(
  deps: Deps,
  caller: CallerWithPermissions,
  { email, role_ids: roleIds, locale }: Invited,
): Promise<UserInvitation> {
  const { tenantId, traceId } = caller
  const { grants, unknown } = await resolveGrants(deps, caller, roleIds, 'assign')
  const secret = await newInvitationSecret(deps, tenantId)
  const create = (tx: Tx) => {
    if (unknown.length > 0) throw unknownRole(roleIds, unknown)
    requireHeldPermissions(caller, grantedPermissions(grants, roleIds))
    const createdBy = actorName(caller.actor)
    return storeInvitation(tx, tenantId, { secret, email, roleIds, locale: locale ?? null, createdBy, traceId })
  }
  const invitation = await once(deps.db, caller, create, withoutEmail(tenantId))
  deps.mails.wake()
  return invitation
}
