import type { Statement } from '@payments/chassis/database/statement'
import sql from 'sql-template-tag'
import type { Tx } from './database.ts'

/** Creates the partition of today, if it is missing. */
export const createPartitionOfToday: Statement = sql`SELECT audit_make_partitions(0) AS created`

/** Creates the partitions of today and of `daysAhead` days. Returns the number of created partitions. */
export async function createPartitions(tx: Tx, daysAhead: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ created: number }]>`SELECT audit_make_partitions(${daysAhead}::int) AS created`
  return row.created
}

/** Drops the partitions of days older than `retentionDays`. Returns the number of dropped partitions. */
export async function dropPartitions(tx: Tx, retentionDays: number): Promise<number> {
  const [row] = await tx.$queryRaw<
    [{ dropped: number }]
  >`SELECT audit_drop_partitions(${retentionDays}::int) AS dropped`
  return row.dropped
}
