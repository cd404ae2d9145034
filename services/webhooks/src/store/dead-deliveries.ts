import type { Tx } from './database.ts'
import type { DeliveryRow } from './deliveries.ts'
import { reviveDeliveries } from './line.ts'

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

/** `ids` null is all. A fresh schedule, begun as soon as the destination lets it. Returns how many, at most `rowsMax`. */
export async function redriveDead(tx: Tx, ids: readonly string[] | null, rowsMax: number): Promise<number> {
  return reviveDeliveries(tx, await lockDead(tx, ids, rowsMax))
}

/** `ids` null is all. Returns how many, at most `rowsMax`. */
export async function discardDead(tx: Tx, ids: readonly string[] | null, rowsMax: number): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE deliveries SET status = 'discarded', updated_at = now() WHERE id = ANY($1::uuid[])`,
    await lockDead(tx, ids, rowsMax),
  )
}

async function lockDead(tx: Tx, ids: readonly string[] | null, rowsMax: number): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM deliveries WHERE status = 'dead' AND ($1::uuid[] IS NULL OR id = ANY($1::uuid[]))
     ORDER BY id LIMIT $2::int FOR UPDATE`,
    ids,
    rowsMax,
  )
  return rows.map((row) => row.id)
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
