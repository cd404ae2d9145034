import type { Caller } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { apiKey, problems } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { rejectOwnKey } from '../domain/permissions.ts'
import * as keys from '../store/keys.ts'

/** Deletes every row of the key; its events remain. Throws key_not_found, own_key. */
export function deleteKey(deps: Deps, caller: Caller, keyId: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const key = await keys.lockKey(tx, tenantId, keyId)
    if (key === null) throw new Problem(problems.key_not_found)
    rejectOwnKey(caller, keyId)
    await keys.remove(tx, tenantId, keyId)
    const payload = { id: keyId, name: key.name, deleted_at: new Date().toISOString() }
    await emit(tx, apiKey.events, { type: 'api-key.keys.delete', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'key', [keyId])
    return undefined
  })
}
