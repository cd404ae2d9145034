import { actorName, type CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { apiKey, type Key } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentKey, presentKeyEvent } from '../domain/key.ts'
import { changesAccess, locksOut, rejectOwnKey, requireKeyPermissions } from '../domain/permissions.ts'
import { withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import * as keys from '../store/keys.ts'

/**
 * An expiry in the past takes effect at once. A change of access needs the permissions of the key.
 * Throws key_not_found, own_key, would_exceed_own_permissions.
 */
export function updateKey(
  deps: Deps,
  caller: CallerWithPermissions,
  keyId: string,
  changes: keys.KeyChanges,
): Promise<Key> {
  const { tenantId, traceId } = caller
  return withCurrentPermissions(deps, caller, keyId, async (tx, { key: before, granted, holder }) => {
    const after = { ...before, ...changes }
    if (locksOut(before, after, new Date())) rejectOwnKey(caller, keyId)
    if (changesAccess(before, after))
      requireKeyPermissions(holder, before.createdBy === actorName(caller.actor), granted)
    const key = await keys.update(tx, tenantId, keyId, changes)
    const payload = presentKeyEvent(key)
    await emit(tx, apiKey.events, { type: 'api-key.keys.update', tenantId, businessUnitId: null, traceId, payload })
    if (changesAccess(before, after)) recordAuthorizationChange(tx, 'key', [keyId])
    return presentKey(key, new Date())
  })
}
