import type { Tx } from './database.ts'

/** Makes the partitions of today and of as many days ahead. Returns how many were missing. */
export async function makePartitions(tx: Tx, daysAhead: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ made: number }]>`SELECT audit_make_partitions(${daysAhead}::int) AS made`
  return row.made
}

/** Drops the partitions of days longer ago. Returns how many. */
export async function dropPartitions(tx: Tx, keepDays: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ dropped: number }]>`SELECT audit_drop_partitions(${keepDays}::int) AS dropped`
  return row.dropped
}
