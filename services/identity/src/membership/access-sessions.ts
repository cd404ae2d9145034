import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { grantedPermissions, isOwnUser, requireSessionAccess } from '../domain/permissions.ts'
import type { Tx } from '../store/database.ts'
import { findMember } from '../store/memberships.ts'
import { lockUsersOfTenant } from '../store/users.ts'
import { changeMember } from './change-member.ts'
import { resolveGrants } from './role-grants.ts'

/**
 * A caller sees and ends the sessions of another user with user:RemoveUser and the permissions of that user, as for a
 * removal. Otherwise a weaker user could keep an administrator signed out. Own sessions need no call of rbac.
 */

/** Throws user_not_found, permission_denied, would_exceed_own_permissions, service_unavailable. */
export async function requireSeenSessions(deps: Deps, caller: CallerWithPermissions, userId: string): Promise<void> {
  const { tenantId } = caller
  const member = await deps.db.readInTenant(tenantId, (tx) => findMember(tx, tenantId, userId))
  if (member === null) throw new Problem(problems.user_not_found)
  requireSessionAccess(caller, userId)
  if (isOwnUser(caller, userId)) return
  const { grants } = await resolveGrants(deps, caller, member.roleIds, 'authorize')
  requireHeldPermissions(caller, grantedPermissions(grants, member.roleIds))
}

/**
 * Runs `work` in one transaction with the user locked, so no step-up or switch of tenant carries a session past
 * its end.
 * Throws as requireSeenSessions, and the errors of `work`.
 */
export async function changeSessions<R>(
  deps: Deps,
  caller: CallerWithPermissions,
  userId: string,
  work: (tx: Tx) => Promise<R>,
): Promise<R> {
  const { tenantId } = caller
  if (isOwnUser(caller, userId)) {
    return deps.db.inTenant(tenantId, async (tx) => {
      await lockUsersOfTenant(tx, tenantId, [userId])
      if ((await findMember(tx, tenantId, userId)) === null) throw new Problem(problems.user_not_found)
      return work(tx)
    })
  }
  await requireSeenSessions(deps, caller, userId)
  return changeMember(deps, caller, { userId }, (tx, { member, grants }) => {
    requireHeldPermissions(caller, grantedPermissions(grants, member.roleIds))
    return work(tx)
  })
}
