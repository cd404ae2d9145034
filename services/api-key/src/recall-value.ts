import { actorName, type Caller } from '@payments/chassis/caller'
import { type Key, problems } from '@payments/contracts/api-key'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Tx } from './store/database.ts'
import { findKey } from './store/keys.ts'
import { findValueOfRotation } from './store/values.ts'

/** An answer that showed a value: what is remembered of it under an Idempotency-Key, the value left out. */
export interface Shown {
  readonly key: Key
  /** Which value of the key it was. */
  readonly rotation: number
  /** The actor that was answered. */
  readonly shownTo: string
}

/**
 * The sealed value of an answer that is given again: that value and no other, to whom it was shown and to nobody else, since a replay
 * is no way round the rules of reveal. Throws idempotency_key_reused, key_not_found (deleted), value_replaced (rotated, its grace over).
 */
export async function recallValue(tx: Tx, caller: Caller, { key, rotation, shownTo }: Shown): Promise<Uint8Array> {
  if (shownTo !== actorName(caller.actor)) throw new Problem(commonProblems.idempotency_key_reused)
  const sealed = await findValueOfRotation(tx, caller.tenantId, key.id, rotation)
  if (sealed !== undefined) return sealed
  const isDeleted = (await findKey(tx, caller.tenantId, key.id)) === null
  throw new Problem(isDeleted ? problems.key_not_found : problems.value_replaced)
}
