import type { Caller, CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems, rbac } from '@payments/contracts/services/rbac/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { grantedPermissions } from '../domain/role.ts'
import type { Tx } from '../store/database.ts'
import { deleteMarked, lockRole, markDeleting, type RoleRow, unmarkDeleting } from '../store/roles.ts'

/**
 * **What it does.** Deletes a role that no key and no user has: marks the role, counts its keys in api-key and its
 * users in identity outside of any transaction, then deletes the role or removes the mark.
 *
 * **Guarantees.** A marked role cannot be assigned, and still grants its permissions. The mark expires: after a crash
 * the role can be assigned again.
 *
 * **Not guaranteed.** An assignment that resolved the role before the mark may commit after the count. Its key or user
 * then has the id of a deleted role. The id grants nothing: rbac resolves ids to permissions, and no id is used again.
 *
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, role_in_use, role_being_deleted,
 * service_unavailable.
 */
export async function deleteRole(deps: Deps, caller: CallerWithPermissions, roleId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  const mark = await deps.db.inTenant(tenantId, async (tx) => {
    await lockDeletable(tx, caller, roleId)
    return (await markDeleting(tx, tenantId, roleId, markSeconds)) ?? beingDeleted()
  })
  const unmark = () => deps.db.inTenant(tenantId, (tx) => unmarkDeleting(tx, tenantId, roleId, mark))
  const counts = await countUses(deps, caller, roleId).catch(async (error: unknown) => {
    await unmark()
    throw error
  })
  if (counts.key_count + counts.member_count > 0) {
    await unmark()
    const detail = `API keys with the role: ${counts.key_count}; users and open invitations: ${counts.member_count}`
    throw new Problem(problems.role_in_use, { detail, extensions: counts })
  }
  return deps.db.inTenant(tenantId, async (tx) => {
    const role = await lockDeletable(tx, caller, roleId)
    if (!(await deleteMarked(tx, tenantId, roleId, mark))) beingDeleted()
    const payload = { id: roleId, name: role.name, deleted_at: new Date().toISOString() }
    await emit(tx, rbac.events, { type: 'rbac.roles.delete', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'role', [roleId])
    return undefined
  })
}

/** Many times the time-out of the calls to api-key and identity. */
const markSeconds = 30

async function countUses({ apiKey, identity }: Deps, { tenantId, traceId }: Caller, roleId: string) {
  const call = { params: { tenant_id: tenantId, role_id: roleId } }
  const [keys, members] = await Promise.all([
    apiKey.countKeysWithRole({ traceId }, call),
    identity.countRoleMembers({ traceId }, call),
  ])
  return { key_count: keys.count, member_count: members.count }
}

/** The role, locked. An edit may follow the mark, so each step checks the role again. */
async function lockDeletable(tx: Tx, caller: CallerWithPermissions, roleId: string): Promise<RoleRow> {
  const role = await lockRole(tx, caller.tenantId, roleId)
  if (role === null) throw new Problem(problems.role_not_found)
  if (role.kind === 'built_in') throw new Problem(problems.built_in_role)
  requireHeldPermissions(caller, grantedPermissions(role))
  return role
}

/** Another request marked the role, or the mark of this request expired. */
function beingDeleted(): never {
  throw new Problem(problems.role_being_deleted, { retryAfterSeconds: 1 })
}
