import { firstIdAt } from '@payments/chassis/base/id'
import type { Deps } from '../deps.ts'
import { retentionMs } from '../domain/provider-event.ts'
import { purgeEvents } from '../store/provider-events.ts'

const batchMax = 5_000
const batchesMax = 10

/** Deletes events of payment providers beyond their retention, up to a limit per run. Returns their number. */
export async function purgeProviderEvents({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number> {
  const idBefore = firstIdAt(new Date(now().getTime() - retentionMs))
  let count = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const deleted = await db.acrossTenants((tx) => purgeEvents(tx, idBefore, batchMax))
    count += deleted
    if (deleted < batchMax) break
  }
  return count
}
