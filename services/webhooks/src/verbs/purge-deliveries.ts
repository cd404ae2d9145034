import type { Deps } from '../deps.ts'
import { deleteUnpartitioned, dropPartitions } from '../store/partitions.ts'

const rowsMax = 5_000
const batchesMax = 1_000

/**
 * Deletes deliveries older than `keepDays` days now; the dispatcher does so periodically
 * (dispatch/retain-deliveries.ts).
 */
export async function purgeDeliveries(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  keepDays: number,
): Promise<{ partitions_dropped: number; rows_deleted: number }> {
  const dropped = await db.acrossTenants((tx) => dropPartitions(tx, keepDays))
  let deleted = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const rows = await db.acrossTenants((tx) => deleteUnpartitioned(tx, keepDays, rowsMax))
    deleted += rows
    if (rows === 0) break
  }
  log.info({ keep_days: keepDays, partitions_dropped: dropped, rows_deleted: deleted }, 'deliveries purged')
  return { partitions_dropped: dropped, rows_deleted: deleted }
}
