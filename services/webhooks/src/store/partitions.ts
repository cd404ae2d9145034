import type { Tx } from './database.ts'

/** Creates the partitions from yesterday to `daysAhead`. Returns their number; 0 while another process creates them. */
export async function createPartitions(tx: Tx, daysAhead: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ count: number }]>`SELECT webhooks_make_partitions(1, ${daysAhead}::int) AS count`
  return row.count
}

/** Drops partitions older than `keepDays` days. Returns their number; 0 while another process drops them. */
export async function dropPartitions(tx: Tx, keepDays: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ dropped: number }]>`SELECT webhooks_drop_partitions(${keepDays}::int) AS dropped`
  return row.dropped
}

/** Deletes older rows in the default partitions, at most `rowsMax` per table. Returns their number. */
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
  // A delivery renders its body from its event.
  if (deliveries === rowsMax) return attempts + deliveries
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
