import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import type { Deps } from '../deps.ts'
import { grantedPermissions, type Operator, rejectOwnUser, requireAdministrator } from '../domain/permissions.ts'
import { changeMember, lockForChange } from '../membership/change-member.ts'
import { removeMember } from '../membership/remove-member.ts'

/**
 * Operators remove any user, also the last administrator.
 * Throws user_not_found, own_user, would_exceed_own_permissions, last_administrator, service_unavailable.
 */
export function removeUser(deps: Deps, caller: CallerWithPermissions | Operator, userId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  if (caller.actor === null) {
    return deps.db.inTenant(tenantId, async (tx) => {
      await lockForChange(tx, tenantId, userId)
      return removeMember(tx, { tenantId, userId }, traceId)
    })
  }
  return changeMember(deps, caller, { userId }, (tx, { member, others, grants }) => {
    rejectOwnUser(caller, userId)
    requireHeldPermissions(caller, grantedPermissions(grants, member.roleIds))
    requireAdministrator(grants, others, member, null)
    return removeMember(tx, { tenantId, userId }, traceId)
  })
}
