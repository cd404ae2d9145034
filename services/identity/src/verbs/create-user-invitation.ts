import { actorName, type CallerWithPermissions } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { grantedPermissions, unknownRole } from '../domain/permissions.ts'
import { resolveGrants } from '../membership/role-grants.ts'
import type { Tx } from '../store/database.ts'
import { newInvitationSecret } from '../user-invitation/invitation-secret.ts'
import { storeInvitation } from '../user-invitation/store-invitation.ts'
import { withoutEmail } from '../user-invitation/stored-reply.ts'

interface Invited {
  readonly email: string
  readonly roleIds: readonly string[]
  /** Language of the mail. Null: English. */
  readonly locale: string | null
}

/**
 * rbac resolves the roles before the transaction.
 * Throws unknown_role, would_exceed_own_permissions, already_member, user_invitation_exists, too_many_users.
 */
export async function createUserInvitation(
  deps: Deps,
  caller: CallerWithPermissions,
  { email, roleIds, locale }: Invited,
): Promise<UserInvitation> {
  const { tenantId, traceId } = caller
  const { grants, unknown } = await resolveGrants(deps, caller, roleIds, 'assign')
  const secret = await newInvitationSecret(deps, tenantId)
  const create = (tx: Tx) => {
    if (unknown.length > 0) throw unknownRole(roleIds, unknown)
    requireHeldPermissions(caller, grantedPermissions(grants, roleIds))
    const createdBy = actorName(caller.actor)
    return storeInvitation(tx, tenantId, { secret, email, roleIds, locale, createdBy, traceId })
  }
  const invitation = await once(deps.db, caller, create, withoutEmail(tenantId))
  deps.mails.wake()
  return invitation
}
