import type { Tx } from './database.ts'
import type { DeliveryRow } from './deliveries.ts'

export type DeadDelivery = DeliveryRow & { readonly destinationUrl: string }

/** For operators, across tenants. Oldest first. */
export async function listDead(tx: Tx, limit: number): Promise<DeadDelivery[]> {
  const rows = await tx.delivery.findMany({
    where: { status: 'dead' },
    orderBy: [{ deadAt: 'asc' }, { id: 'asc' }],
    take: limit,
    omit: { body: true },
  })
  const ids = [...new Set(rows.map((row) => row.subscriptionId))]
  const found = await tx.subscription.findMany({
    where: { id: { in: ids } },
    select: { id: true, destinationUrl: true },
  })
  const urls = new Map(found.map(({ id, destinationUrl }) => [id, destinationUrl]))
  return rows.map((row) => ({ ...row, destinationUrl: urls.get(row.subscriptionId) ?? '' }))
}

export async function oldestDeadAt(tx: Tx): Promise<Date | null> {
  const oldest = await tx.delivery.findFirst({
    where: { status: 'dead' },
    orderBy: { deadAt: 'asc' },
    select: { deadAt: true },
  })
  return oldest?.deadAt ?? null
}

/** `ids` null is all. A fresh schedule, begun at once by the sweeper. Returns how many, at most `rowsMax`. */
export function redriveDead(tx: Tx, ids: readonly string[] | null, rowsMax: number): Promise<number> {
  return changeDead(
    tx,
    ids,
    rowsMax,
    `status = 'pending', schedule_position = 0, dead_at = NULL, next_attempt_at = now(), sweep_at = now(), queued = false`,
  )
}

/** `ids` null is all. Returns how many, at most `rowsMax`. */
export function discardDead(tx: Tx, ids: readonly string[] | null, rowsMax: number): Promise<number> {
  return changeDead(tx, ids, rowsMax, `status = 'discarded'`)
}

function changeDead(tx: Tx, ids: readonly string[] | null, rowsMax: number, change: string): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE deliveries SET ${change}, updated_at = now() WHERE id IN (
       SELECT id FROM deliveries WHERE status = 'dead' AND ($1::uuid[] IS NULL OR id = ANY($1::uuid[]))
       ORDER BY dead_at, id LIMIT $2::int FOR UPDATE)`,
    ids,
    rowsMax,
  )
}

/** Which of `ids` are dead. */
export async function deadAmong(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.delivery.findMany({ where: { status: 'dead', id: { in: [...ids] } }, select: { id: true } })
  return rows.map((row) => row.id)
}

export interface DeadRow {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly eventType: string
}

/** Those dead for longer than `graceMs`, by id, after `after`. */
export function listDeadIds(
  tx: Tx,
  { after, graceMs, limit }: { after: string; graceMs: number; limit: number },
): Promise<DeadRow[]> {
  return tx.$queryRawUnsafe<DeadRow[]>(
    `SELECT id, tenant_id AS "tenantId", subscription_id AS "subscriptionId", event_type AS "eventType" FROM deliveries
     WHERE status = 'dead' AND dead_at <= now() - $2::int * interval '1 millisecond' AND id > $1::uuid
     ORDER BY id LIMIT $3::int`,
    after,
    graceMs,
    limit,
  )
}
