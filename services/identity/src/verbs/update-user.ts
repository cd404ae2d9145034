import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { grantedPermissions, rejectOwnUser, requireAdministrator, unknownRole } from '../domain/permissions.ts'
import { presentUser } from '../domain/user.ts'
import { changeMember } from '../membership/change-member.ts'
import { emitUser } from '../membership/join-tenant.ts'
import { resolveGrants } from '../membership/role-grants.ts'
import { endSessions } from '../session/end-sessions.ts'
import { updateMembership } from '../store/memberships.ts'
import { findSessions } from '../store/sessions.ts'

type UserChanges = RequestOf<typeof identityContract.endpoints.updateUser>['body']

/**
 * The caller must hold the permissions of the user before and after the change; otherwise a caller could weaken a user
 * who has more permissions than they do. Disabling ends the sessions of the user in the tenant.
 * Throws user_not_found, unknown_role, own_user, would_exceed_own_permissions, last_administrator, service_unavailable.
 */
export async function updateUser(
  deps: Deps,
  caller: CallerWithPermissions,
  userId: string,
  { role_ids: roleIds, enabled }: UserChanges,
): Promise<User> {
  const { tenantId, traceId } = caller
  const { unknown } = await resolveGrants(deps, caller, roleIds ?? [], 'assign')
  return changeMember(deps, caller, { userId, roleIds }, async (tx, { member: before, others, grants }) => {
    if (roleIds !== undefined && unknown.length > 0) throw unknownRole(roleIds, unknown)
    rejectOwnUser(caller, userId)
    const after = { enabled: enabled ?? before.enabled, roleIds: roleIds ?? before.roleIds }
    requireHeldPermissions(caller, grantedPermissions(grants, [...before.roleIds, ...after.roleIds]))
    requireAdministrator(grants, others, before, after)
    const user = await updateMembership(tx, tenantId, userId, after)
    if (!user.enabled) await endSessions(tx, await findSessions(tx, tenantId, [userId]), 'user_disabled', traceId)
    await emitUser(tx, 'identity.users.update', user, traceId)
    const isChanged = user.enabled !== before.enabled || user.roleIds.join() !== before.roleIds.join()
    if (isChanged) recordAuthorizationChange(tx, 'user', [userId])
    return presentUser(user)
  })
}
