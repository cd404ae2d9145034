import type { Deps } from '../deps.ts'
import { deleteReturnUrls } from '../store/sandbox-operations.ts'

const dayMs = 24 * 60 * 60_000
const batchMax = 1_000
const batchesMax = 10

/**
 * Deletes pages to return to from the ledger of the sandbox, a day after the end of the time to decide: that of an
 * invitation has its link to pay. Up to a limit per run. Returns their number.
 */
export async function purgeReturnUrls({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number> {
  const before = new Date(now().getTime() - dayMs)
  let count = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const deleted = await db.acrossTenants((tx) => deleteReturnUrls(tx, before, batchMax))
    count += deleted
    if (deleted < batchMax) break
  }
  return count
}
