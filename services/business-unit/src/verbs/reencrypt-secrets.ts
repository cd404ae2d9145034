import {
  type ReencryptionBatch,
  type RotationProgress,
  rejectFuture,
  rejectOtherCurrent,
} from '@payments/contracts/endpoints/key-rotation'
import { reencryptBatch } from '@payments/vault/reencrypt'
import type { Deps } from '../deps.ts'
import { encryptedColumns } from '../store/encrypted-columns.ts'

/** Throws other_key_current, since_in_the_future. */
export async function reencryptSecrets(deps: Deps, batch: ReencryptionBatch): Promise<RotationProgress> {
  const { vault } = deps
  rejectOtherCurrent(batch, vault.currentKekId)
  rejectFuture(batch.since)
  const { failures, ...progress } = await reencryptBatch(
    vault,
    (work) => deps.db.acrossTenants(work),
    encryptedColumns,
    batch,
  )
  for (const { error, ...row } of failures) deps.log.error({ err: error, row }, 'a secret cannot be decrypted')
  return { ...progress, current: vault.currentKekId, failed: failures.length }
}
