import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { rejectOwnKey } from '../domain/permissions.ts'
import { withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import * as keys from '../store/keys.ts'

/**
 * Deletes every row of the key; its events remain. The caller must hold the permissions of the key.
 * Throws key_not_found, own_key, would_exceed_own_permissions.
 */
export function deleteKey(deps: Deps, caller: CallerWithPermissions, keyId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  return withCurrentPermissions(deps, caller, keyId, async (tx, { key, granted, holder }) => {
    rejectOwnKey(caller, keyId)
    requireHeldPermissions(holder, granted)
    await keys.remove(tx, tenantId, keyId)
    const payload = { id: keyId, name: key.name, deleted_at: new Date().toISOString() }
    await emit(tx, apiKey.events, { type: 'api-key.keys.delete', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'key', [keyId])
    return undefined
  })
}
