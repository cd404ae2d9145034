import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import {
  type RotationBatch,
  type RotationProgress,
  rejectOtherCurrent,
} from '@payments/contracts/endpoints/key-rotation'
import { VaultError } from '@payments/vault/vault-error'
import type { Deps } from '../deps.ts'
import { countPreviousIndexes, findPreviousIndexes, type MovedIndex, moveIndexes } from '../store/key-indexes.ts'

/**
 * Moves the indexes of a batch of keys to the current pepper. An index is an HMAC of the key hash, so each value is
 * decrypted in memory. Identities that the gateway caches stay valid. Unknown key hashes are invalidated: a process
 * without the new pepper may have reported a key as unknown.
 * Throws other_key_current.
 */
export async function rotatePepper(deps: Deps, batch: RotationBatch): Promise<RotationProgress> {
  const { db, values, log } = deps
  const current = values.currentPepperKid()
  rejectOtherCurrent(batch, current)
  const { after, limit } = batch
  const found = await db.acrossTenants((tx) => findPreviousIndexes(tx, current, { after, keysMax: limit }))
  const moved: MovedIndex[] = []
  for (const { tenantId, keyId, valueEncrypted, pepperKid, hmac } of found) {
    try {
      const value = await values.decrypt(tenantId, keyId, valueEncrypted)
      moved.push({ previous: { pepperKid, hmac }, current: values.currentIndex(value) })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      log.error({ err: error, tenantId, keyId }, 'the value of a key cannot be decrypted')
    }
  }
  const keyIds = new Set(found.map(({ keyId }) => keyId))
  const next = keyIds.size < limit ? null : ([...keyIds].at(-1) ?? null)
  const { done, remaining } = await db.acrossTenants(async (tx) => {
    const rows = await moveIndexes(tx, moved)
    if (rows > 0) recordAuthorizationChange(tx, 'unknown_key_hashes', [everyKeyHash])
    return { done: rows, remaining: next === null ? 0 : await countPreviousIndexes(tx, current, next) }
  })
  return { current, done, failed: found.length - moved.length, remaining, next }
}
