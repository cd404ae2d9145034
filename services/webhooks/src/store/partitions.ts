import type { Tx } from './database.ts'

/** Makes the partitions of yesterday, of today and of as many days ahead. Returns how many; 0 while another caller does it. */
export async function makePartitions(tx: Tx, daysAhead: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ made: number }]>`SELECT webhooks_make_partitions(1, ${daysAhead}::int) AS made`
  return row.made
}

/** Drops the partitions of days longer ago. Returns how many; 0 while another caller does it. */
export async function dropPartitions(tx: Tx, keepDays: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ dropped: number }]>`SELECT webhooks_drop_partitions(${keepDays}::int) AS dropped`
  return row.dropped
}

/** Rows of days longer ago that have no partition of their own, at most `rowsMax` of each table. Returns how many went. */
export async function deleteUnpartitioned(tx: Tx, keepDays: number, rowsMax: number): Promise<number> {
  const firstDay = `(now() AT TIME ZONE 'UTC')::date - $1::int`
  const attempts = await tx.$executeRawUnsafe(
    `DELETE FROM attempts WHERE (delivery_id, number) IN (
       SELECT delivery_id, number FROM attempts WHERE delivery_id < webhooks_first_id(${firstDay}) LIMIT $2::int)
     AND delivery_id < webhooks_first_id(${firstDay})`,
    keepDays,
    rowsMax,
  )
  const deliveries = await tx.$executeRawUnsafe(
    `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE id < webhooks_first_id(${firstDay}) LIMIT $2::int)
     AND id < webhooks_first_id(${firstDay})`,
    keepDays,
    rowsMax,
  )
  const events = await tx.$executeRawUnsafe(
    `DELETE FROM events WHERE (tenant_id, tenant_event_id, occurred_at) IN (
       SELECT tenant_id, tenant_event_id, occurred_at FROM events
       WHERE occurred_at < webhooks_first_instant(${firstDay}) LIMIT $2::int)
     AND occurred_at < webhooks_first_instant(${firstDay})`,
    keepDays,
    rowsMax,
  )
  return attempts + deliveries + events
}
