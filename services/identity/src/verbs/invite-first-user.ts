import type { ServiceCaller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { unknownRoleName } from '../domain/permissions.ts'
import { invitationLink } from '../domain/user-invitation.ts'
import { newInvitationSecret } from '../user-invitation/invitation-secret.ts'
import { storeInvitation } from '../user-invitation/store-invitation.ts'

/**
 * For operators: invites a person with any role, and returns the link too.
 * Throws tenant_not_found, unknown_role, already_member, user_invitation_exists, too_many_users.
 */
export async function inviteFirstUser(
  deps: Deps,
  { service, traceId }: ServiceCaller,
  tenantId: string,
  { email, role_name: roleName }: RequestOf<typeof identityContract.endpoints.inviteFirstUser>['body'],
): Promise<{ user_invitation: UserInvitation; url: string }> {
  const call = { params: { tenant_id: tenantId }, body: { role_names: [roleName], purpose: 'assign' as const } }
  const [role] = (await deps.rbac.resolveRoles({ traceId }, call)).roles
  if (role === undefined) throw unknownRoleName()
  const secret = await newInvitationSecret(deps, tenantId)
  const createdBy = `service:${service}`
  const invitation = await deps.db.inTenant(tenantId, (tx) =>
    storeInvitation(tx, tenantId, { secret, email, roleIds: [role.id], locale: null, createdBy, traceId }),
  )
  deps.mails.wake()
  return { user_invitation: invitation, url: invitationLink(deps.consoleOrigin, secret.token) }
}
