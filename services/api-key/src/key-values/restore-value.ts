import { actorName, type Caller } from '@payments/chassis/base/caller'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Key, problems } from '@payments/contracts/services/api-key/contract'
import type { Tx } from '../store/database.ts'
import { findKey } from '../store/keys.ts'
import { findValueOfRotation } from '../store/values.ts'

/** A response that contained a value, as stored under an Idempotency-Key: without the value. */
export interface ShownKey {
  readonly key: Key
  /** Identifies the value among the values of the key. */
  readonly rotation: number
  /** The actor that received the response. */
  readonly shownTo: string
}

/**
 * The encrypted value of a replayed response: the same value, and only for the actor that received the response.
 * Otherwise a replay would bypass the permission check of a reveal.
 * Throws idempotency_key_reused, key_not_found (deleted), value_replaced (rotated, grace period over).
 */
export async function restoreValue(tx: Tx, caller: Caller, { key, rotation, shownTo }: ShownKey): Promise<Uint8Array> {
  if (shownTo !== actorName(caller.actor)) throw new Problem(commonProblems.idempotency_key_reused)
  const encrypted = await findValueOfRotation(tx, caller.tenantId, key.id, rotation)
  if (encrypted !== undefined) return encrypted
  const isDeleted = (await findKey(tx, caller.tenantId, key.id)) === null
  throw new Problem(isDeleted ? problems.key_not_found : problems.value_replaced)
}
