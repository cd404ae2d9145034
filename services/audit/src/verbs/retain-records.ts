import type { Deps } from '../deps.ts'
import { createPartitions, dropPartitions } from '../store/partitions.ts'

const daysAhead = 7

export function retainRecords(deps: Deps): Promise<{ created: number; dropped: number }> {
  return deps.db.acrossTenants(async (tx) => ({
    created: await createPartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, deps.retentionDays),
  }))
}
