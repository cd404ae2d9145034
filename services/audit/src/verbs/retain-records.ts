import type { Deps } from '../deps.ts'
import { dropPartitions, makePartitions } from '../store/partitions.ts'

const daysAhead = 7

/** Makes the partitions of the days to come, and drops those whose records are no longer kept. */
export function retainRecords(deps: Deps): Promise<{ made: number; dropped: number }> {
  return deps.db.acrossTenants(async (tx) => ({
    made: await makePartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, deps.retentionDays),
  }))
}
