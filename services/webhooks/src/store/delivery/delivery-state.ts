import { allTenants } from '@payments/chassis/database/scope'
import type { SqlTx as Sql, SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { nextDueSql } from '@payments/chassis/database/waiting-tenants'
import type { NextStep } from '../../domain/delivery/retry-policy.ts'
import { withBounds } from '../id-bounds.ts'
import { markBacklogSql } from './backlog.ts'
import { among, type Claimed, claimedRowSql, claimedSql, targetFromSql, targetSql } from './claim.ts'

/**
 * Every statement that changes the state of a delivery, except claim-from-backlogs.ts; fan-out.ts stores new ones.
 * The README of the service draws the states and the changes that the functions here name. Rows are locked in the order
 * of their ids, so that two statements with the same rows wait for each other instead of deadlocking. Instants
 * come from the database. Each statement gets the smallest and the largest id as values, so that the planner excludes
 * the partitions of all other days.
 */

/** The status of a backlogged delivery `d`, with its subscription `s` and, if there is one, its destination `t`. */
const backlogStatusSql = `(CASE WHEN NOT s.enabled OR t.breaker <> 'closed' THEN 'held'
  WHEN d.schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus"`

/** The columns of a delivery that enters the backlog. */
const backloggedSql = 'published = false, backlogged = true, sweep_at = NULL, updated_at = now()'
/** The columns of a delivery in a final state. */
const finalSql = 'published = false, backlogged = false, sweep_at = NULL, next_attempt_at = NULL, updated_at = now()'

// ── attempts ──

/** The rows that a step names, and the condition under which it may change them. The ids lie between $2 and $3. */
const given = `id uuid, "tenantId" uuid, "attemptCount" int`
const inRange = 'd.id BETWEEN $2::uuid AND $3::uuid'
const lockable = (condition: string) => `
  SELECT d.id AS locked_id, d.subscription_id AS locked_subscription_id FROM given g JOIN deliveries d
    ON d.id = g.id AND d.tenant_id = g."tenantId" AND d.attempt_count = g."attemptCount"
  WHERE ${inRange} AND ${among('SELECT id FROM given')} AND (${condition}) ORDER BY d.id FOR UPDATE OF d`
const isLocked = `d.id = locked_id AND ${inRange} AND g.id = d.id AND g."attemptCount" = d.attempt_count`

/** The columns that a step returns of each changed row. */
export interface Changed {
  readonly id: string
  /** The number of attempts before the step. */
  readonly attemptCount: number
}

/** A batch as the statements take it: the items as JSON, and the smallest and the largest id. */
export type BatchValues = readonly [items: string, minId: string, maxId: string]

const claimSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${given})),
  locked AS MATERIALIZED (
    ${lockable(`d.status IN ('pending', 'retrying') OR (d.status = 'delivering' AND d.sweep_at <= now())`)}
  ), targets AS MATERIALIZED (
    SELECT locked_id, ${targetSql('t.probe_delivery_id = locked_id')}
    FROM locked ${targetFromSql('locked_subscription_id')}
  ), changed AS (
    UPDATE deliveries d SET ${claimedSql('d.next_attempt_at')}
    FROM targets, given g WHERE ${isLocked} RETURNING ${claimedRowSql}
  ), added AS (
    SELECT id, "tenantId" AS tenant_id, "subscriptionId" AS subscription_id FROM changed WHERE disposition = 'held'
  ), marked AS (${markBacklogSql})
  SELECT * FROM changed`

/** Change `claimed`. Items: id, tenantId, attemptCount. */
export function claimDeliveries(sql: Sql, batch: BatchValues): Promise<(Changed & Claimed)[]> {
  return sql.$queryRawUnsafe(claimSql, ...batch)
}

export interface NextAttempt extends NextStep {
  readonly published: boolean
  readonly sweepAfterMs: number | null
}

export interface Recorded {
  readonly status: string
  /** Milliseconds since the event. */
  readonly ageMs: number
}

/** Whether the delivery stays in its state after an attempt: discarded, or held with another attempt to come. */
const staysSql = `(d.status = 'discarded' OR d.status = 'held' AND g.status = 'retrying')`

const recordSql = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${given}, status text, "delayMs" bigint, published boolean,
      "sweepAfterMs" bigint, "lastError" text, "startedAt" timestamptz, "durationMs" int, "statusCode" int,
      "errorKind" text, "errorDetail" text, "responseBody" text, "responseTruncated" boolean, "responseHeaders" jsonb,
      timings jsonb, "credentialNames" jsonb, "destinationUrl" text, label text)
  ), locked AS MATERIALIZED (
    ${lockable(`d.status IN ('delivering', 'pending', 'retrying', 'held', 'discarded')`)}
  ), changed AS (
    UPDATE deliveries d SET attempt_count = d.attempt_count + 1, schedule_position = d.schedule_position + 1,
      backlogged = d.status = 'held' AND ${staysSql},
      status = CASE WHEN ${staysSql} THEN d.status ELSE g.status::"DeliveryStatus" END,
      next_attempt_at = CASE WHEN NOT ${staysSql} THEN now() + g."delayMs" * interval '1 millisecond' END,
      published = NOT ${staysSql} AND g.published,
      sweep_at = CASE WHEN NOT ${staysSql} THEN now() + g."sweepAfterMs" * interval '1 millisecond' END,
      dead_at = CASE WHEN NOT ${staysSql} AND g.status = 'dead' THEN now() END,
      last_error = g."lastError", last_error_kind = g."errorKind", last_status_code = g."statusCode", updated_at = now()
    FROM locked, given g WHERE ${isLocked}
    RETURNING d.id, d.attempt_count, d.tenant_id, d.status AS new_status, d.next_attempt_at, d.occurred_at, g."attemptCount"
  ), recorded AS (
    INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, error_kind, error_detail,
      response_body, response_truncated, response_headers, timings, credential_names, destination_url, label, next_attempt_at)
    SELECT id, attempt_count, tenant_id, g."startedAt", g."durationMs", g."statusCode", g."errorKind", g."errorDetail",
      decode(g."responseBody", 'base64'), g."responseTruncated", g."responseHeaders", g.timings, g."credentialNames",
      g."destinationUrl", g.label, next_attempt_at
    FROM changed JOIN given g USING (id, "attemptCount")
  )
  SELECT id, "attemptCount", new_status::text AS status, (extract(epoch FROM now() - occurred_at) * 1000)::float8 AS "ageMs"
  FROM changed`

/**
 * Changes `accepted`, `failed`, `exhausted`. Also stores the attempt. A discarded delivery stays discarded, and a held
 * one that failed stays held.
 */
export function recordAttempts(sql: Sql, batch: BatchValues): Promise<(Changed & Recorded)[]> {
  return sql.$queryRawUnsafe(recordSql, ...batch)
}

const postponeSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${given}, "waitMs" int)),
  locked AS MATERIALIZED (${lockable(`d.status = 'delivering'`)})
  UPDATE deliveries d SET published = false, updated_at = now(),
    status = (CASE WHEN d.schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus",
    next_attempt_at = now() + g."waitMs" * interval '1 millisecond',
    sweep_at = now() + g."waitMs" * interval '1 millisecond'
  FROM locked, given g WHERE ${isLocked}`

/** Change `postponed`. Items: id, tenantId, attemptCount, waitMs. */
export async function postponeDeliveries(sql: Sql, batch: BatchValues): Promise<void> {
  await sql.$executeRawUnsafe(postponeSql, ...batch)
}

// ── backlog ──

const enqueueBacklogsSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${given}, claimed boolean)),
  locked AS MATERIALIZED (${lockable(`d.status IN ('pending', 'retrying') OR d.status = 'delivering' AND g.claimed`)}),
  added AS (
    UPDATE deliveries d SET ${backloggedSql}, next_attempt_at = now(), status = ${backlogStatusSql}
    FROM locked, given g, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
    WHERE ${isLocked} AND s.id = d.subscription_id
    RETURNING d.id, d.tenant_id, d.subscription_id
  )
  ${markBacklogSql}`

/** Changes `backlogged`, `suspended`. Items: id, tenantId, attemptCount, claimed (by the caller). */
export async function enqueueBacklogs(sql: Sql, batch: BatchValues): Promise<void> {
  await sql.$executeRawUnsafe(enqueueBacklogsSql, ...batch)
}

/** A delivery with a published message is overdue after this time in any case. */
const publishedOverdueMax = '15 minutes'
/** The overdue deliveries that one statement reads to find some of every tenant among them. */
const overdueWindowRows = 10_000
/** After an outage the statistics are stale, and a plan without an index would read every delivery each second. */
const indexesOnlySql = `SELECT set_config('enable_' || method, 'off', true) FROM unnest(ARRAY['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']) AS method`

/** `sweep_at + interval '0'` is in no index: the chosen rows are found by their ids, not among all overdue ones. */
const enqueueBacklogOverdueSql = `
  WITH overdue AS MATERIALIZED (
    SELECT id, tenant_id, sweep_at, NOT published OR $2 OR sweep_at <= now() - interval '${publishedOverdueMax}' AS is_due
    FROM deliveries WHERE sweep_at <= now() AND sweep_at > $3::timestamptz ORDER BY sweep_at LIMIT ${overdueWindowRows}
  ), chosen AS MATERIALIZED (
    SELECT id FROM overdue WHERE is_due
    ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY sweep_at), sweep_at LIMIT $1::int
  ), due AS MATERIALIZED (
    SELECT d.id AS due_id FROM deliveries d
    WHERE ${among('SELECT id FROM chosen')} AND d.sweep_at + interval '0' <= now() ORDER BY d.id FOR UPDATE SKIP LOCKED
  ), added AS (
    UPDATE deliveries d SET ${backloggedSql}, status = ${backlogStatusSql}
    FROM due, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
    WHERE d.id = due_id AND ${among('SELECT due_id FROM due')} AND s.id = d.subscription_id
    RETURNING d.id, d.tenant_id, d.subscription_id
  ), marked AS (${markBacklogSql})
  SELECT ARRAY(SELECT subscription_id::text FROM added) AS "subscriptionIds",
    (SELECT count(*) FROM overdue WHERE is_due) > (SELECT count(*) FROM added) AS "isLeft",
    CASE WHEN (SELECT count(*) FROM overdue) = ${overdueWindowRows} THEN (SELECT max(sweep_at) FROM overdue) END AS "continueAfter"`

export interface Swept {
  /** The subscription of each delivery that entered its backlog. `isLeft`: others of the window did not. */
  readonly subscriptionIds: readonly string[]
  readonly isLeft: boolean
  /** The end of the window. Null: no delivery became overdue after it. */
  readonly continueAfter: Date | null
}

/**
 * Changes `backlogged`, `suspended` of overdue deliveries: scheduled waits that have ended, expired leases and, with
 * `includePublished`, lost messages. Reads a window of those overdue after `after`; the tenants in it take turns.
 */
export async function enqueueBacklogOverdue(
  tx: Sql,
  { rowsMax, includePublished, after }: { rowsMax: number; includePublished: boolean; after: Date },
): Promise<Swept> {
  await tx.$queryRawUnsafe(indexesOnlySql)
  const args = [rowsMax, includePublished, after.toISOString()]
  return (await tx.$queryRawUnsafe<[Swept]>(enqueueBacklogOverdueSql, ...args))[0]
}

const restartSql = `
  WITH locked AS MATERIALIZED (
    SELECT id AS locked_id FROM deliveries WHERE id = ANY($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid
      AND ($4::uuid IS NULL OR tenant_id = $4::uuid)
    ORDER BY id FOR UPDATE
  ), added AS (
    UPDATE deliveries d SET ${backloggedSql}, next_attempt_at = now(), schedule_position = 0,
      status = (CASE WHEN NOT s.enabled OR t.breaker <> 'closed' THEN 'held' ELSE 'pending' END)::"DeliveryStatus",
      dead_at = NULL, discarded_by = NULL, discard_reason = NULL, task_id = coalesce($5::uuid, d.task_id)
    FROM locked, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
    WHERE d.id = locked_id AND d.id = ANY($1::uuid[]) AND d.id BETWEEN $2::uuid AND $3::uuid AND s.id = d.subscription_id
    RETURNING d.id, d.tenant_id, d.subscription_id
  ), marked AS (${markBacklogSql})
  SELECT count(*)::int AS restarted FROM added`

/** Change `restarted`, in any state. `taskId` null: by a person; `tenantId` null: of any tenant. Returns the number. */
export async function restartDeliveries(
  tx: Sql,
  tenantId: string | null,
  ids: readonly string[],
  taskId: string | null,
): Promise<number> {
  const values = [...withBounds(ids), tenantId, taskId]
  const [row] = await tx.$queryRawUnsafe<{ restarted: number }[]>(restartSql, ...values)
  return row?.restarted ?? 0
}

// ── discarding ──

/** Change `discarded`. The caller has locked the rows. With `tenantId` null, of any tenant. Returns their number. */
export function discardDeliveries(
  tx: Sql,
  tenantId: string | null,
  ids: readonly string[],
  { by, reason }: { by: string; reason: string | null },
): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE deliveries SET status = 'discarded', discarded_by = $2, discard_reason = $3, ${finalSql}
     WHERE id = ANY($1::uuid[]) AND ($4::uuid IS NULL OR tenant_id = $4::uuid)`,
    ids,
    by,
    reason,
    tenantId,
  )
}

/** Change `discarded` of unfinished deliveries of a deleted subscription, dead ones included. */
export async function discardDeliveriesOfDeleted(tx: Sql, tenantId: string, ids: readonly string[]): Promise<void> {
  await tx.$executeRawUnsafe(
    `WITH locked AS MATERIALIZED (
       SELECT id AS locked_id FROM deliveries WHERE tenant_id = $4::uuid AND id = ANY($1::uuid[])
         AND id BETWEEN $2::uuid AND $3::uuid AND status NOT IN ('delivered', 'discarded')
       ORDER BY id FOR UPDATE
     )
     UPDATE deliveries SET status = 'discarded', ${finalSql} FROM locked
     WHERE id = locked_id AND id BETWEEN $2::uuid AND $3::uuid`,
    ...withBounds(ids),
    tenantId,
  )
}

const nextOverdueSql = nextDueSql('(SELECT min(sweep_at) FROM deliveries WHERE sweep_at IS NOT NULL)')

/** When the next delivery is overdue (`nextDueAt`), in one round trip: one probe of an index of each partition. */
export async function nextOverdue(db: Pick<Transactions<SqlTx>, 'pipelined'>): Promise<number | null> {
  const statements = [indexesOnlySql, nextOverdueSql].map((text) => ({ text, values: [] }))
  const [, found] = await db.pipelined<[object[], { dueMs: number | null }[]]>(allTenants, statements)
  return found[0]?.dueMs ?? null
}
