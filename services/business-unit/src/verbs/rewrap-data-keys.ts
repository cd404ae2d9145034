import {
  type RotationBatch,
  type RotationProgress,
  rejectOtherCurrent,
} from '@payments/contracts/endpoints/key-rotation'
import { rewrapBatch } from '@payments/vault/rewrap'
import type { Deps } from '../deps.ts'

/** Throws other_key_current. */
export async function rewrapDataKeys(
  deps: Pick<Deps, 'db' | 'vault' | 'log'>,
  batch: RotationBatch,
): Promise<RotationProgress> {
  rejectOtherCurrent(batch, deps.vault.currentKekId)
  const { failures, ...progress } = await rewrapBatch(deps.vault, (work) => deps.db.acrossTenants(work), batch)
  for (const { dataKey, error } of failures) deps.log.error({ err: error, dataKey }, 'a data key cannot be unwrapped')
  return { ...progress, failed: failures.length }
}
