import type { Tx } from './database.ts'

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

/** Whether a statement failed because the day of its row has no partition: a check violation without a constraint. */
export function isPartitionMissing(error: unknown): boolean {
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string }
  return code === '23514' && table === 'audit_records' && constraint === undefined
}
