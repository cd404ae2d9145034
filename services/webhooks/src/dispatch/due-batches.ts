import type { Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import type { Database, Tx } from '../store/database.ts'

/** A table of work that takes many transactions, and the work of one of them. */
export interface BatchedWork {
  /** Does one batch of the row, and moves its due time, its position, or deletes it. */
  readonly runOne: (tx: Tx, id: string) => Promise<void>
  /** Moves the due time of a row whose batch failed. */
  readonly postpone: (tx: Tx, id: string) => Promise<void>
  /** The log message of a failed batch. */
  readonly failure: string
}

const batchesMax = 100

/** Runs due batches, each in its transaction, in turns of the tenants. A failed batch delays only its own row. */
export async function runDueBatches(
  { db, log }: { readonly db: Database; readonly log: Pick<Log, 'error'> },
  turns: Turns,
  { runOne, postpone, failure }: BatchedWork,
): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    let id: string | undefined
    try {
      await db.acrossTenants(async (tx) => {
        ;[id] = (await turns.lockDue(tx, new Date(), { limit: 1, perTenantMax: 1 })).ids
        if (id !== undefined) await runOne(tx, id)
      })
    } catch (err) {
      const failed = id
      if (failed === undefined) throw err
      log.error({ err, row_id: failed }, failure)
      await db.acrossTenants((tx) => postpone(tx, failed))
    }
    if (id === undefined) return
  }
}
