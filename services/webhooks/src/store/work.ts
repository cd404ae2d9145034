import type { SqlTx as Sql } from '@payments/chassis/transaction'

/**
 * How deliveries come to be and are taken up again. What a worker does with them is in delivery-steps.ts.
 * Instants are the database's, so that processes need not agree on time.
 */
export interface DeliveryInsert {
  readonly id: string
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly traceId: string
  readonly body: string
}

export interface EventRow {
  readonly tenantEventId: string
  readonly eventType: string
  readonly occurredAt: string
}

/** What a message to a worker is made of. */
export interface WorkItem {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly attemptCount: number
}

const item = `id, tenant_id AS "tenantId", subscription_id AS "subscriptionId", attempt_count AS "attemptCount"`

/** One delivery per event and subscription: what is there already stays as it is. Returns the new ones. */
export function insertDeliveries(
  sql: Sql,
  tenantId: string,
  event: EventRow,
  inserts: readonly DeliveryInsert[],
  wait: { firstDelayMs: number; queued: boolean; sweepAfterMs: number },
): Promise<WorkItem[]> {
  return sql.$queryRawUnsafe<WorkItem[]>(
    `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
       trace_id, body, next_attempt_at, queued, sweep_at)
     SELECT r.id, $1::uuid, r."subscriptionId", r."businessUnitId", $2::uuid, $3, $4::timestamptz, r."traceId",
       convert_to(r.body, 'UTF8'), now() + $6::bigint * interval '1 millisecond', $7, now() + $8::bigint * interval '1 millisecond'
     FROM jsonb_to_recordset($5::jsonb)
       AS r(id uuid, "subscriptionId" uuid, "businessUnitId" uuid, "traceId" uuid, body text)
     ON CONFLICT (id) DO NOTHING RETURNING ${item}`,
    tenantId,
    event.tenantEventId,
    event.eventType,
    event.occurredAt,
    JSON.stringify(inserts),
    wait.firstDelayMs,
    wait.queued,
    wait.sweepAfterMs,
  )
}

/** The event's deliveries whose first attempt is not made and whose message may have been lost. */
export function listUnbegun(sql: Sql, tenantId: string, tenantEventId: string): Promise<WorkItem[]> {
  return sql.$queryRawUnsafe<WorkItem[]>(
    `SELECT ${item} FROM deliveries
     WHERE tenant_id = $1::uuid AND tenant_event_id = $2::uuid AND status = 'pending' AND attempt_count = 0 AND queued`,
    tenantId,
    tenantEventId,
  )
}

/**
 * Takes up what is due and has nobody: waits that rest in the row, leases that ran out, and, unless `queuedToo` is false,
 * messages that did not come (those 15 minutes overdue in any case). Several sweepers share the work.
 */
export function sweepDue(
  sql: Sql,
  { rowsMax, queuedToo, sweepAfterMs }: { rowsMax: number; queuedToo: boolean; sweepAfterMs: number },
): Promise<WorkItem[]> {
  return sql.$queryRawUnsafe<WorkItem[]>(
    `WITH due AS MATERIALIZED (
       SELECT id AS due_id FROM deliveries
       WHERE sweep_at <= now() AND (NOT queued OR $2 OR sweep_at <= now() - interval '15 minutes')
       ORDER BY sweep_at LIMIT $1::int FOR UPDATE SKIP LOCKED
     )
     UPDATE deliveries SET queued = true, sweep_at = now() + $3::int * interval '1 millisecond', updated_at = now(),
       status = (CASE WHEN schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus"
     FROM due WHERE id = due_id RETURNING ${item}`,
    rowsMax,
    queuedToo,
    sweepAfterMs,
  )
}
