import type { Database } from '../store/database.ts'
import { createPartitions, deleteUnpartitioned, dropPartitions } from '../store/partitions.ts'

/** Partitions exist for a week without a dispatcher. */
const daysAhead = 7
const rowsMax = 5_000

/**
 * **What it does.** Creates the partitions of the next days and drops those beyond the retention period.
 *
 * **Guarantees.** An event expires by the day on which it occurred, with its deliveries and attempts in any state. Rows
 * outside of every partition are deleted row by row, at most `rowsMax` a run. Partitions exist for `daysAhead` days, so
 * fan-out continues without this job.
 *
 * **Not guaranteed.** That the dead letters of expired deliveries leave the queue at once. The reconciliation removes
 * them.
 */
export function retainDeliveries({ db }: { readonly db: Database }, keepDays: number) {
  return db.acrossTenants(async (tx) => ({
    created: await createPartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, keepDays),
    deleted: await deleteUnpartitioned(tx, keepDays, rowsMax),
  }))
}
