import { actorName, type Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { once } from '@payments/chassis/request/idempotency'
import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { apiKey, type Key, problems } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { keysMax, presentKey, presentKeyEvent } from '../domain/key.ts'
import { restoreValue } from '../key-values/restore-value.ts'
import type { Tx } from '../store/database.ts'
import { insertKey, lockKeyCount } from '../store/keys.ts'

interface Created {
  readonly key: Key
  readonly encrypted: Uint8Array
}

/**
 * The response contains the value, decrypted from the stored bytes: a value that cannot be decrypted is never issued. A
 * replay decrypts the value again.
 * Throws too_many_keys, expiry_in_the_past; a replay also throws key_not_found, value_replaced.
 */
export async function createKey(
  deps: Deps,
  caller: Caller,
  draft: { name: string; description: string; expiresAt: Date | null; allowedCidrs: string[] },
): Promise<Key> {
  const { tenantId, traceId } = caller
  const { environment } = deps.values
  const id = newId()
  const generated = await deps.values.generate(tenantId, id)
  const insert = { ...generated, ...draft, id, environment, createdBy: actorName(caller.actor) }
  const create = async (tx: Tx): Promise<Created> => {
    if (draft.expiresAt !== null && draft.expiresAt <= new Date()) throw new Problem(problems.expiry_in_the_past)
    if ((await lockKeyCount(tx, tenantId)) >= keysMax) throw new Problem(problems.too_many_keys)
    const key = await insertKey(tx, tenantId, insert, [])
    const payload = presentKeyEvent(key)
    await emit(tx, apiKey.events, { type: 'api-key.keys.create', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'unknown_key_hashes', [everyKeyHash])
    return { key: presentKey(key, new Date()), encrypted: generated.valueEncrypted }
  }
  const { key, encrypted } = await once(deps.db, caller, create, {
    redact: (created) => created.key,
    restore: async (tx, stored) => {
      const key = stored as Key
      return { key, encrypted: await restoreValue(tx, caller, { key, rotation: 0, shownTo: key.created_by }) }
    },
  })
  return { ...key, value: await deps.values.decrypt(tenantId, key.id, encrypted) }
}
