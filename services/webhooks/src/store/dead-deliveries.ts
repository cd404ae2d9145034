import type { Tx } from './database.ts'

/** Dead deliveries of all tenants, for the reconciliation with the queue of dead letters. */

export async function oldestDeadAt(tx: Tx): Promise<Date | null> {
  const oldest = await tx.delivery.findFirst({
    where: { status: 'dead' },
    orderBy: { deadAt: 'asc' },
    select: { deadAt: true },
  })
  return oldest?.deadAt ?? null
}

/** The number of dead deliveries, at most `countMax`. */
export async function countDeadRows(tx: Tx, countMax: number): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM (SELECT FROM deliveries WHERE status = 'dead' LIMIT $1::int) AS dead`,
    countMax,
  )
  return row.count
}

/** The dead deliveries among `ids`. */
export async function listDeadAmong(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.delivery.findMany({ where: { status: 'dead', id: { in: [...ids] } }, select: { id: true } })
  return rows.map((row) => row.id)
}

export interface DeadRow {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly eventType: string
}

/** Deliveries that have been dead for `graceMs`, by id, after `after`. */
export function listDeadRows(
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
