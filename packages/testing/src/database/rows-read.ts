import type { SqlTx } from '@payments/chassis/database/transaction'

/**
 * The rows of a table and its partitions that `work` reads in the database transaction, whether or not it returns
 * them.
 */
export async function rowsRead(tx: SqlTx, table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await countReads(tx, table)
  await work()
  return (await countReads(tx, table)) - before
}

/** Since the session last reported its statistics, which it does not do within a transaction. */
async function countReads(tx: SqlTx, table: string): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int AS count
     FROM pg_stat_xact_user_tables
     WHERE relid = $1::text::regclass OR relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::text::regclass)`,
    table,
  )
  return row.count
}
