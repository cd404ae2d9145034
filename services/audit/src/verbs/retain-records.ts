import type { Deps } from '../deps.ts'
import { createPartitions, dropPartitions } from '../store/partitions.ts'

const daysAhead = 7

/** Creates the partitions of the next days and drops partitions older than the retention period. */
export function retainRecords(deps: Deps): Promise<{ created: number; dropped: number }> {
  return deps.db.acrossTenants(async (tx) => ({
    created: await createPartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, deps.retentionDays),
  }))
}
