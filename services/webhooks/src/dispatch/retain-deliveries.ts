import type { Database } from '../store/database.ts'
import { createPartitions, deleteUnpartitioned, dropPartitions } from '../store/partitions.ts'

/**
 * Creates the partitions of the next days and drops those beyond the retention period. An event expires by the day on
 * which it occurred, with its deliveries and attempts in any state. The reconciliation removes their dead letters from
 * the queue.
 */
export interface Retained {
  readonly created: number
  readonly dropped: number
  readonly deleted: number
}

/** Partitions exist for a week without a dispatcher. */
const daysAhead = 7
const rowsMax = 5_000

export function retainDeliveries({ db }: { readonly db: Database }, keepDays: number): Promise<Retained> {
  return db.acrossTenants(async (tx) => ({
    created: await createPartitions(tx, daysAhead),
    dropped: await dropPartitions(tx, keepDays),
    deleted: await deleteUnpartitioned(tx, keepDays, rowsMax),
  }))
}
