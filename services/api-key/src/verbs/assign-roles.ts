import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { apiKey, type Key, problems } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentKey, presentKeyEvent } from '../domain/key.ts'
import { rejectLossOfOwnPermissions } from '../domain/permissions.ts'
import { unknownRole } from '../domain/role.ts'
import { withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import { resolveRoles } from '../key-permissions/resolve-roles.ts'
import { findKey, replaceRoles } from '../store/keys.ts'

/**
 * Replaces the roles of a key. The caller must hold the permissions of the key before and after the change; otherwise a
 * caller could weaken a key that has more permissions than the caller. rbac resolves roles before the transaction.
 * Throws key_not_found, unknown_role, own_key, would_exceed_own_permissions.
 */
export async function assignRoles(
  deps: Deps,
  caller: CallerWithPermissions,
  keyId: string,
  roleIds: readonly string[],
): Promise<Key> {
  const { tenantId, traceId } = caller
  const found = await deps.db.readInTenant(tenantId, (tx) => findKey(tx, tenantId, keyId))
  if (found === null) throw new Problem(problems.key_not_found)
  const resolved = await resolveRoles(deps, caller, roleIds, 'assign')
  return withCurrentPermissions(deps, caller, keyId, async (tx, { granted, holder }) => {
    if (resolved.unknown.length > 0) throw unknownRole(roleIds, resolved.unknown)
    requireHeldPermissions(holder, [...granted, ...resolved.permissions])
    rejectLossOfOwnPermissions(caller, keyId, resolved.permissions)
    const key = await replaceRoles(tx, tenantId, keyId, [...new Set(roleIds)])
    const payload = presentKeyEvent(key)
    const type = 'api-key.keys.assign-roles'
    await emit(tx, apiKey.events, { type, tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'key', [keyId])
    return presentKey(key, new Date())
  })
}
