import type { Database } from '../store/database.ts'
import { deleteUnpartitioned, dropPartitions, makePartitions } from '../store/partitions.ts'

/**
 * Makes the partitions of the days to come and drops those of days beyond retention. An event goes with the day on which it
 * occurred, its deliveries and attempts with it, whatever became of them; the reconciliation takes the dead letters among them out
 * of their queue.
 */
export interface Retained {
  readonly made: number
  readonly dropped: number
  readonly deleted: number
}

/** A dispatcher that is away for a week finds its partitions made. */
const daysAhead = 7
const rowsMax = 5_000

export function retainDeliveries({ db }: { readonly db: Database }, keepDays: number): Promise<Retained> {
  return db.acrossTenants(async (tx) => ({
    made: await makePartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, keepDays),
    deleted: await deleteUnpartitioned(tx, keepDays, rowsMax),
  }))
}
