import type { Outcome } from '../domain/outcome.ts'
import type { Sql } from './database.ts'

/**
 * The dispatcher's hot path: each step of a delivery is one statement, so one round trip and one commit.
 *
 * `attempt_count` tells which attempt is next, and every step names the one it believes in: of two workers on the same
 * delivery one moves the row, the other finds nothing. Instants are the database's, so that processes need not agree on time.
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
     ON CONFLICT (tenant_event_id, subscription_id) DO NOTHING RETURNING ${item}`,
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

export interface Claimed {
  readonly status: 'delivering' | 'discarded'
  readonly schedulePosition: number
  readonly body: Uint8Array
  readonly tenantEventId: string
  readonly traceId: string
  readonly eventType: string
  readonly destinationUrl: string
  readonly secretSealed: Uint8Array | null
}

/**
 * Takes the delivery for one attempt, for `leaseMs`. Undefined where that attempt was made, is being made, or is wanted no
 * more. A delivery whose subscription is gone is discarded here.
 */
export async function claimDelivery(sql: Sql, work: WorkItem, leaseMs: number): Promise<Claimed | undefined> {
  const [claimed] = await sql.$queryRawUnsafe<Claimed[]>(
    `UPDATE deliveries d SET queued = false, updated_at = now(),
       status = (CASE WHEN s.deleted_at IS NULL THEN 'delivering' ELSE 'discarded' END)::"DeliveryStatus",
       sweep_at = CASE WHEN s.deleted_at IS NULL THEN now() + $4::int * interval '1 millisecond' END,
       next_attempt_at = CASE WHEN s.deleted_at IS NULL THEN d.next_attempt_at END
     FROM subscriptions s
     WHERE d.id = $1::uuid AND d.tenant_id = $2::uuid AND d.attempt_count = $3::int AND s.id = d.subscription_id
       AND (d.status IN ('pending', 'retrying') OR (d.status = 'delivering' AND d.sweep_at <= now()))
     RETURNING d.status, d.schedule_position AS "schedulePosition", d.body, d.tenant_event_id AS "tenantEventId",
       d.trace_id AS "traceId", d.event_type AS "eventType", s.destination_url AS "destinationUrl",
       s.secret_sealed AS "secretSealed"`,
    work.id,
    work.tenantId,
    work.attemptCount,
    leaseMs,
  )
  return claimed
}

/** What follows an attempt. `delayMs` null: there is no next one. */
export interface Next {
  readonly status: 'delivered' | 'retrying' | 'dead'
  readonly delayMs: number | null
  readonly queued: boolean
  readonly sweepAfterMs: number | null
  readonly lastError: string | null
}

/**
 * Commits an attempt and what follows it. Answers how long the event has been under way, in milliseconds, and the status;
 * undefined where another worker has committed this attempt before. A delivery discarded meanwhile stays so.
 */
export async function recordAttempt(
  sql: Sql,
  work: WorkItem,
  outcome: Outcome,
  next: Next,
): Promise<{ status: string; ageMs: number } | undefined> {
  const [recorded] = await sql.$queryRawUnsafe<{ status: string; ageMs: number }[]>(
    `WITH moved AS (
       UPDATE deliveries SET attempt_count = attempt_count + 1, schedule_position = schedule_position + 1,
         status = CASE WHEN status = 'discarded' THEN status ELSE $4::"DeliveryStatus" END,
         next_attempt_at = CASE WHEN status <> 'discarded' THEN now() + $5::bigint * interval '1 millisecond' END,
         queued = status <> 'discarded' AND $6::boolean,
         sweep_at = CASE WHEN status <> 'discarded' THEN now() + $7::bigint * interval '1 millisecond' END,
         dead_at = CASE WHEN status <> 'discarded' AND $4 = 'dead' THEN now() END,
         last_error = $8, updated_at = now()
       WHERE id = $1::uuid AND tenant_id = $2::uuid AND attempt_count = $3::int
         AND status IN ('delivering', 'pending', 'retrying', 'discarded')
       RETURNING *
     ), recorded AS (
       INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, error_kind, error_detail,
         response_body, response_truncated, timings, next_attempt_at)
       SELECT id, attempt_count, tenant_id, $9::timestamptz, $10::int, $11::int, $12, $13, $14::bytea, $15, $16::jsonb,
         next_attempt_at
       FROM moved
     )
     SELECT status::text, (extract(epoch FROM now() - occurred_at) * 1000)::float8 AS "ageMs" FROM moved`,
    work.id,
    work.tenantId,
    work.attemptCount,
    next.status,
    next.delayMs,
    next.queued,
    next.sweepAfterMs,
    next.lastError,
    outcome.startedAt.toISOString(),
    outcome.durationMs,
    outcome.statusCode,
    outcome.errorKind,
    outcome.errorDetail,
    outcome.responseBody,
    outcome.responseTruncated,
    JSON.stringify(outcome.timings),
  )
  return recorded
}

/** Back to the row for `waitMs`, not charged: no slot was free (`waiting`), or a claimed attempt was not made (`claimed`). */
export async function putBack(sql: Sql, work: WorkItem, from: 'waiting' | 'claimed', waitMs: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `UPDATE deliveries SET queued = false, updated_at = now(),
       status = (CASE WHEN schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus",
       next_attempt_at = now() + $4::int * interval '1 millisecond', sweep_at = now() + $4::int * interval '1 millisecond'
     WHERE id = $1::uuid AND tenant_id = $2::uuid AND attempt_count = $3::int
       AND status::text = ANY(CASE WHEN $5 = 'claimed' THEN ARRAY['delivering'] ELSE ARRAY['pending', 'retrying'] END)`,
    work.id,
    work.tenantId,
    work.attemptCount,
    waitMs,
    from,
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
