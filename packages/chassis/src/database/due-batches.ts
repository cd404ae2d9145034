import type { Log } from '../observability/log.ts'
import type { SqlTx, Transactions } from './transaction.ts'
import type { Turns } from './turns.ts'

/**
 * Work that takes many transactions: rows of a table with `id`, `due_at` and `failures`, and the batch of one
 * transaction.
 */
export interface BatchedWork<Tx extends SqlTx> {
  readonly table: string
  /** Of the table. */
  readonly turns: Turns
  /** Does one batch of the row, and moves its due time or its position, or deletes it. */
  readonly runBatch: (tx: Tx, id: string) => Promise<void>
}

const batchesMax = 100

/**
 * Runs due batches, each in its transaction, in turns of the tenants. A row whose batch fails delays no other one: it
 * is due again after a minute, twice as long after each further failure, and at most an hour.
 */
export async function runDueBatches<Tx extends SqlTx>(
  { db, log }: { readonly db: Pick<Transactions<Tx>, 'acrossTenants'>; readonly log: Pick<Log, 'error'> },
  { table, turns, runBatch }: BatchedWork<Tx>,
): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    let id: string | undefined
    try {
      await db.acrossTenants(async (tx) => {
        ;[id] = (await turns.lockDue(tx, new Date(), { limit: 1, perTenantMax: 1 })).ids
        if (id !== undefined) await runBatch(tx, id)
      })
    } catch (err) {
      const failed = id
      if (failed === undefined) throw err
      log.error({ err, table, row_id: failed }, 'a batch failed; it is due again later')
      await db.acrossTenants((tx) => tx.$executeRawUnsafe(postponeSql(table), failed))
    }
    if (id === undefined) return
  }
}

const postponeSql = (table: string) => `
  UPDATE ${table} AS d SET failures = d.failures + 1,
    due_at = clock_timestamp() + least(60, 2 ^ least(d.failures, 6)) * interval '1 minute'
  WHERE d.id = $1::uuid`
