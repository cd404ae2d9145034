import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import {
  grantedPermissions,
  rejectOwnUser,
  requireAdministrator,
  requireHeldPermissions,
} from '../domain/permissions.ts'
import { changeMember } from '../membership/change-member.ts'
import { removeMember } from '../membership/remove-member.ts'

/** Throws user_not_found, own_user, would_exceed_own_permissions, last_administrator, service_unavailable. */
export function removeUser(deps: Deps, caller: CallerWithPermissions, userId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  return changeMember(deps, caller, { userId }, async (tx, { member, others, grants }) => {
    rejectOwnUser(caller, userId)
    requireHeldPermissions(caller, grantedPermissions(grants, member.roleIds))
    requireAdministrator(grants, others, member, null)
    await removeMember(tx, { tenantId, userId }, traceId)
    return undefined
  })
}
