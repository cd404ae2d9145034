import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import { everyHandle } from '@payments/contracts/authorization-version'
import { type RotationBatch, type RotationProgress, refuseOtherCurrent } from '@payments/contracts/key-rotation'
import { VaultError } from '@payments/vault/vault-error'
import type { Deps } from '../deps.ts'
import { countFormerLookups, findFormerLookups, type MovedLookup, moveLookups } from '../store/lookups.ts'

/**
 * A look-up is an HMAC of the value's handle, so each value is opened for a moment; nothing of it is kept. The identity that the
 * gateway remembers stays true, and where a process without the new pepper made it remember that there is no key, it forgets that.
 * Throws other_key_current.
 */
export async function repepperKeys(deps: Deps, batch: RotationBatch): Promise<RotationProgress> {
  const { db, values, log } = deps
  const current = values.currentPepperKid()
  refuseOtherCurrent(batch, current)
  const { after, limit } = batch
  const former = await db.acrossTenants((tx) => findFormerLookups(tx, current, { after, keysMax: limit }))
  const moved: MovedLookup[] = []
  for (const { tenantId, keyId, sealedValue, pepperKid, hmac } of former) {
    try {
      const value = await values.open(tenantId, keyId, sealedValue)
      moved.push({ former: { pepperKid, hmac }, present: values.currentLookup(value) })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      log.error({ err: error, tenantId, keyId }, 'the value of a key does not open')
    }
  }
  const keyIds = new Set(former.map(({ keyId }) => keyId))
  const next = keyIds.size < limit ? null : ([...keyIds].at(-1) ?? null)
  const { done, remaining } = await db.acrossTenants(async (tx) => {
    const rows = await moveLookups(tx, moved)
    if (rows > 0) recordAuthorizationChange(tx, 'unknown_handles', [everyHandle])
    return { done: rows, remaining: next === null ? 0 : await countFormerLookups(tx, current, next) }
  })
  return { current, done, failed: former.length - moved.length, remaining, next }
}
