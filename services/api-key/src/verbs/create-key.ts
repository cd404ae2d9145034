import { actorName, type Caller } from '@payments/chassis/caller'
import { once } from '@payments/chassis/idempotency'
import { apiKey, type Key, problems } from '@payments/contracts/api-key'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { keysMax, presentKey, presentKeyEvent } from '../domain/key.ts'
import type { Tx } from '../store/database.ts'
import { findSealedValue, insertKey, lockKeyCount } from '../store/keys.ts'

interface Created {
  readonly key: Key
  readonly sealed: Uint8Array
}

/**
 * The value is shown here once, opened from what was stored, so a value that would not open is never given out. A replay
 * opens it again. Throws too_many_keys, expiry_in_the_past, key_not_found (replayed after a deletion).
 */
export async function createKey(
  deps: Deps,
  caller: Caller,
  draft: { name: string; description: string; expiresAt: Date | null },
): Promise<Key> {
  const { tenantId, traceId } = caller
  const made = await deps.values.make(tenantId)
  const create = async (tx: Tx): Promise<Created> => {
    if (draft.expiresAt !== null && draft.expiresAt <= new Date()) throw new Problem(problems.expiry_in_the_past)
    if ((await lockKeyCount(tx, tenantId)) >= keysMax) throw new Problem(problems.too_many_keys)
    const key = await insertKey(tx, tenantId, { ...made, ...draft, createdBy: actorName(caller.actor) }, [])
    const payload = presentKeyEvent(key)
    await emit(tx, apiKey.events, { type: 'api-key.keys.create', tenantId, businessUnitId: null, traceId, payload })
    return { key: presentKey(key), sealed: made.sealedValue }
  }
  const { key, sealed } = await once(deps.db, caller, create, {
    remember: (created) => created.key,
    recall: (tx, remembered) => recall(tx, caller, remembered as Key),
  })
  return { ...key, value: await deps.values.open(tenantId, key.id, sealed) }
}

/** Only to whom the value was shown before: a replay is no way round the rules of reveal. */
async function recall(tx: Tx, caller: Caller, key: Key): Promise<Created> {
  if (key.created_by !== actorName(caller.actor)) throw new Problem(commonProblems.idempotency_key_reused)
  const sealed = await findSealedValue(tx, caller.tenantId, key.id)
  if (sealed === undefined) throw new Problem(problems.key_not_found)
  return { key, sealed }
}
