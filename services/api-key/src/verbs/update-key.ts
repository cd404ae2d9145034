import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import type { Caller } from '@payments/chassis/caller'
import { apiKey, type Key } from '@payments/contracts/api-key'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { presentKey, presentKeyEvent } from '../domain/key.ts'
import { addsPower, changesPower, refuseExceeding, refuseOwnKey, shutsOut } from '../domain/power.ts'
import { withPresentGrant } from '../present-grant.ts'
import { type KeyChanges, updateKey as updateKeyOf } from '../store/keys.ts'

/** An expiry in the past ends the key at once. Throws key_not_found, own_key, would_exceed_own_permissions. */
export function updateKey(deps: Deps, caller: Caller, keyId: string, changes: KeyChanges): Promise<Key> {
  const { tenantId, traceId } = caller
  return withPresentGrant(deps, caller, keyId, async (tx, before, granted) => {
    const after = { ...before, ...changes }
    if (shutsOut(before, after, new Date())) refuseOwnKey(caller, keyId)
    if (addsPower(before, after)) refuseExceeding(caller, granted)
    const key = await updateKeyOf(tx, tenantId, keyId, changes)
    const payload = presentKeyEvent(key)
    await emit(tx, apiKey.events, { type: 'api-key.keys.update', tenantId, businessUnitId: null, traceId, payload })
    if (changesPower(before, after)) recordAuthorizationChange(tx, 'key', [keyId])
    return presentKey(key)
  })
}
