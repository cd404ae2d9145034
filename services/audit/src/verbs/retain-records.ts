import type { Deps } from '../deps.ts'
import { createPartitions, dropPartitions } from '../store/partitions.ts'
import { deleteCountsBefore } from '../store/statistics.ts'

const daysAhead = 7
/** Twenty-five months, so that a month can be compared with the same month of the year before. */
const statisticsDays = 761
const countsMax = 50_000
const dayMs = 86_400_000

/** Also deletes old counts of requests, at most `countsMax` a run. */
export function retainRecords(deps: Deps): Promise<{ created: number; dropped: number }> {
  return deps.db.acrossTenants(async (tx) => {
    await deleteCountsBefore(tx, new Date(deps.now().getTime() - statisticsDays * dayMs), countsMax)
    return { created: await createPartitions(tx, daysAhead), dropped: await dropPartitions(tx, deps.retentionDays) }
  })
}
