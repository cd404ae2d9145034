import type { SqlTx } from '@payments/chassis/database/transaction'

/** An event whose later pages a dispatcher stores (dispatch/continue-fan-out.ts). */
export interface UnfinishedFanOut {
  readonly id: string
  readonly tenantId: string
  readonly tenantEventId: string
  readonly occurredAt: Date
  readonly position: string
  readonly deliveries: number
  readonly traceparent: string | null
  /** The end of the lease. It identifies the claim. */
  readonly dueAt: Date
}

/** Claims locked rows until `leaseUntil`. */
export function claim(tx: SqlTx, ids: readonly string[], leaseUntil: Date): Promise<UnfinishedFanOut[]> {
  return tx.$queryRawUnsafe(
    `UPDATE unfinished_fan_outs SET due_at = $2::timestamptz WHERE id = ANY($1::uuid[])
     RETURNING id, tenant_id AS "tenantId", tenant_event_id AS "tenantEventId", occurred_at AS "occurredAt", position,
       deliveries, traceparent, due_at AS "dueAt"`,
    ids,
    leaseUntil.toISOString(),
  )
}

export interface StoredEvent {
  readonly businessUnitId: string | null
  readonly type: string
  readonly traceId: string
  /** JSON text. */
  readonly payload: string
}

/** The event. Null when it has expired. */
export async function findEvent(sql: SqlTx, fanOut: UnfinishedFanOut): Promise<StoredEvent | null> {
  const [event] = await sql.$queryRawUnsafe<StoredEvent[]>(
    `SELECT business_unit_id AS "businessUnitId", type, trace_id AS "traceId", payload FROM events
     WHERE tenant_id = $1::uuid AND tenant_event_id = $2::uuid AND occurred_at = $3::timestamptz`,
    fanOut.tenantId,
    fanOut.tenantEventId,
    fanOut.occurredAt.toISOString(),
  )
  return event ?? null
}

/** Records a stored page; the next one is due at once. Changes nothing after another claim. */
export async function advance(
  sql: SqlTx,
  { id, tenantId, dueAt }: UnfinishedFanOut,
  { position, deliveries }: Pick<UnfinishedFanOut, 'position' | 'deliveries'>,
): Promise<void> {
  await sql.$executeRawUnsafe(
    `UPDATE unfinished_fan_outs SET position = $4::uuid, deliveries = $5::int, due_at = date_trunc('milliseconds', now())
     WHERE id = $1::uuid AND tenant_id = $2::uuid AND due_at = $3::timestamptz`,
    id,
    tenantId,
    dueAt.toISOString(),
    position,
    deliveries,
  )
}

/** Deletes a row whose last page is stored. False after another claim. */
export async function finish(sql: SqlTx, { id, tenantId, dueAt }: UnfinishedFanOut): Promise<boolean> {
  const deleted = await sql.$executeRawUnsafe(
    `DELETE FROM unfinished_fan_outs WHERE id = $1::uuid AND tenant_id = $2::uuid AND due_at = $3::timestamptz`,
    id,
    tenantId,
    dueAt.toISOString(),
  )
  return deleted === 1
}

/** For metrics. Counts at most 100 000. */
export async function count(sql: SqlTx): Promise<number> {
  const [row] = await sql.$queryRawUnsafe<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM (SELECT FROM unfinished_fan_outs LIMIT 100000) AS counted',
  )
  return row.count
}

/** The last subscription up to which an unfinished fan-out of the event has stored deliveries. Null: it is finished. */
export async function findPosition(
  tx: SqlTx,
  tenantId: string,
  { tenantEventId, occurredAt }: Pick<UnfinishedFanOut, 'tenantEventId' | 'occurredAt'>,
): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ position: string }[]>(
    `SELECT position FROM unfinished_fan_outs
     WHERE tenant_id = $1::uuid AND tenant_event_id = $2::uuid AND occurred_at = $3::timestamptz`,
    tenantId,
    tenantEventId,
    occurredAt.toISOString(),
  )
  return row?.position ?? null
}
