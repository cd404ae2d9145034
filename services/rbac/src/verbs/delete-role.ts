import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import type { Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { problems, rbac } from '@payments/contracts/rbac'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { requireHeldPermissions } from '../domain/permissions.ts'
import { permissionsOf } from '../domain/role.ts'
import type { Tx } from '../store/database.ts'
import { deleteMarked, lockRole, markDeleting, type RoleRow, unmarkDeleting } from '../store/roles.ts'

/**
 * Deletes a role that no key has. Which keys have it, api-key knows, and it is asked outside any transaction. In three steps:
 * mark the role, so that it is assigned to nobody any more; ask; delete it, or take the mark away. The mark is a lease: after a crash
 * in between it runs out, the role is as before, and nothing needs to clean up.
 *
 * What remains possible: an assignment that had asked what the role grants before it was marked, and commits after api-key has counted.
 * Its key then has the id of a role that is no more. That grants nothing, now and for ever: power is what rbac resolves an id to, and
 * an id is never used again. While the role is marked it grants what it granted; the deletion moves the epoch as every change does.
 *
 * Throws role_not_found, built_in_role, would_exceed_own_permissions, role_in_use, role_being_deleted, service_unavailable.
 */
export async function deleteRole(deps: Deps, caller: Caller, roleId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  const mark = await deps.db.inTenant(tenantId, async (tx) => {
    await lockDeletable(tx, caller, roleId)
    return (await markDeleting(tx, tenantId, roleId, leaseSeconds)) ?? beingDeleted()
  })
  const unmark = () => deps.db.inTenant(tenantId, (tx) => unmarkDeleting(tx, tenantId, roleId, mark))
  const asked = deps.apiKey.countKeysWithRole({ traceId }, { params: { tenant_id: tenantId, role_id: roleId } })
  const { count } = await asked.catch(async (error: unknown) => {
    await unmark()
    throw error
  })
  if (count > 0) {
    await unmark()
    throw new Problem(problems.role_in_use, { extensions: { key_count: count } })
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

/** Many times what asking may take. */
const leaseSeconds = 30

/** The role, locked. It may have been edited since it was marked, so each step judges it anew. */
async function lockDeletable(tx: Tx, caller: Caller, roleId: string): Promise<RoleRow> {
  const role = await lockRole(tx, caller.tenantId, roleId)
  if (role === null) throw new Problem(problems.role_not_found)
  if (role.kind === 'built_in') throw new Problem(problems.built_in_role)
  requireHeldPermissions(caller, permissionsOf(role))
  return role
}

/** Another request has marked it, or ours took longer than its mark. */
function beingDeleted(): never {
  throw new Problem(problems.role_being_deleted, { retryAfterSeconds: 1 })
}
