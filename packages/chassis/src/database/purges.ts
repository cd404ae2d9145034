import type { SqlTx } from './transaction.ts'

/** The rows that one transaction deletes at most. */
export const purgeRowsMax = 10_000
/** Per purge and run: more than the requests of a tenant can add until the next run. */
const batchesMax = 20

/** Deletes at most `purgeRowsMax` rows. Returns their number. */
export type Purge<Tx> = (tx: Tx) => Promise<number>

/** Deletes the rows of a table, with this key, for which the condition holds. Waits for no lock. */
export function purgeRows(table: string, key: string, condition: string) {
  const text = `
    DELETE FROM ${table} WHERE ${key} = ANY (ARRAY
      (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1::int FOR UPDATE SKIP LOCKED))`
  return (tx: SqlTx, rowsMax = purgeRowsMax): Promise<number> => tx.$executeRawUnsafe(text, rowsMax)
}

/**
 * Runs each purge until nothing is left, in transactions of `purgeRowsMax` rows, at most `batchesMax` of them: the next
 * run continues. Returns the number of rows.
 */
export async function runPurges<Tx>(
  db: { acrossTenants<R>(work: (tx: Tx) => Promise<R>): Promise<R> },
  purges: readonly Purge<Tx>[],
): Promise<number> {
  let count = 0
  for (const purge of purges) {
    for (let batch = 0; batch < batchesMax; batch += 1) {
      const deleted = await db.acrossTenants(purge)
      count += deleted
      if (deleted < purgeRowsMax) break
    }
  }
  return count
}
