import type { SqlTx as Sql } from '@payments/chassis/transaction'
import type { Outcome } from '../domain/outcome.ts'
import type { WorkItem } from '../domain/work-item.ts'
import { microBatch } from '../micro-batch.ts'
import { among, type Claimed, claimedRowSql, claimedSql, judgedFromSql, judgedSql } from './claim.ts'
import { markedSql, waitingStatusSql } from './line.ts'

/**
 * The dispatcher's hot path: the steps of a delivery, each of them one statement for all deliveries that take it together
 * (micro-batch.ts), so one round trip and one commit for up to a hundred. A step resolves after its commit.
 *
 * `attempt_count` tells which attempt is next, and every step names the one it believes in: of two workers on the same
 * delivery one moves the row, the other finds nothing. Rows are locked in the order of their ids, so that two batches with the
 * same rows in them wait for each other and do not deadlock. Instants are the database's, so that processes need not agree on
 * time. Each statement names the smallest and the largest id of its batch, as values, so that the planner leaves out the partitions
 * of all other days.
 */
export interface DeliverySteps {
  /**
   * Takes the delivery for one attempt, for `leaseMs`. Undefined where that attempt was made, is being made, or is wanted no
   * more. A delivery whose subscription is gone is discarded here; one whose subscription is disabled, or whose destination's
   * breaker is open, goes into the line and is held.
   */
  claim(work: WorkItem, leaseMs: number): Promise<Claimed | undefined>
  /**
   * Commits an attempt and what follows it. Undefined where another worker has committed this attempt before. A delivery
   * discarded meanwhile stays so.
   */
  record(work: WorkItem, outcome: Outcome, next: Next): Promise<Recorded | undefined>
  /** Back to the row for `waitMs`, not charged: the attempt that was claimed was not made. */
  putBack(work: WorkItem, waitMs: number): Promise<void>
  /**
   * Into the line of its destination, not charged: it has no slot free. One that is being made is left to whoever claimed it, unless
   * the caller has: taken away, it would be sent twice.
   */
  lineUp(work: WorkItem, claimed: boolean): Promise<void>
}

/** What follows an attempt. `delayMs` null: there is no next one. */
export interface Next {
  readonly status: 'delivered' | 'retrying' | 'dead'
  readonly delayMs: number | null
  readonly queued: boolean
  readonly sweepAfterMs: number | null
  readonly lastError: string | null
}

export interface Recorded {
  readonly status: string
  /** Since the event. */
  readonly ageMs: number
}

export function createDeliverySteps(sql: Sql): DeliverySteps {
  const claim = microBatch((claims: readonly Claim[]) => claimAll(sql, claims))
  const record = microBatch((records: readonly AttemptRecord[]) => recordAll(sql, records))
  const putBack = microBatch((waits: readonly Wait[]) => putBackAll(sql, waits))
  const lineUp = microBatch((items: readonly LineUp[]) => lineUpAll(sql, items))
  return {
    claim: (work, leaseMs) => claim({ ...work, leaseMs }),
    record: (work, outcome, next) => record(recordOf(work, outcome, next)),
    putBack: (work, waitMs) => putBack({ ...work, waitMs }),
    lineUp: (work, claimed) => lineUp({ ...work, claimed }),
  }
}

/** The step `record`, in a transaction that does more. */
export async function recordIn(tx: Sql, work: WorkItem, outcome: Outcome, next: Next): Promise<Recorded | undefined> {
  const [recorded] = await recordAll(tx, [recordOf(work, outcome, next)])
  return recorded
}

/** Field by field: taking objects apart and together again cost more here than all the rest. */
function recordOf(work: WorkItem, outcome: Outcome, next: Next): AttemptRecord {
  const { responseBody } = outcome
  return {
    id: work.id,
    tenantId: work.tenantId,
    subscriptionId: work.subscriptionId,
    attemptCount: work.attemptCount,
    status: next.status,
    delayMs: next.delayMs,
    queued: next.queued,
    sweepAfterMs: next.sweepAfterMs,
    lastError: next.lastError,
    startedAt: outcome.startedAt.toISOString(),
    durationMs: outcome.durationMs,
    statusCode: outcome.statusCode,
    errorKind: outcome.errorKind,
    errorDetail: outcome.errorDetail,
    responseBody: responseBody === null ? null : Buffer.from(responseBody).toString('base64'),
    responseTruncated: outcome.responseTruncated,
    retryAfterMs: outcome.retryAfterMs,
    timings: outcome.timings,
    credentialNames: outcome.credentialNames,
  }
}

interface Claim extends WorkItem {
  readonly leaseMs: number
}

/** As it is given to PostgreSQL, as JSON. */
interface AttemptRecord extends WorkItem, Next, Omit<Outcome, 'startedAt' | 'responseBody'> {
  readonly startedAt: string
  readonly responseBody: string | null
}

interface Wait extends WorkItem {
  readonly waitMs: number
}

interface LineUp extends WorkItem {
  readonly claimed: boolean
}

interface Moved {
  readonly id: string
  /** The attempt that was next when the step began. */
  readonly attemptCount: number
}

/** What every step names, and the rows it may move: locked, in order. The ids lie between $2 and $3. */
const named = `id uuid, "tenantId" uuid, "attemptCount" int`
const within = 'd.id BETWEEN $2::uuid AND $3::uuid'
const lockable = (condition: string) => `
  SELECT d.id AS locked_id, d.subscription_id AS locked_subscription_id FROM given g JOIN deliveries d
    ON d.id = g.id AND d.tenant_id = g."tenantId" AND d.attempt_count = g."attemptCount"
  WHERE ${within} AND ${among('SELECT id FROM given')} AND (${condition}) ORDER BY d.id FOR UPDATE OF d`
const isLocked = `d.id = locked_id AND ${within} AND g.id = d.id AND g."attemptCount" = d.attempt_count`

const claimSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, "leaseMs" int)),
  locked AS MATERIALIZED (
    ${lockable(`d.status IN ('pending', 'retrying') OR (d.status = 'delivering' AND d.sweep_at <= now())`)}
  ), judged AS MATERIALIZED (
    SELECT locked_id, ${judgedSql('t.probe_delivery_id = locked_id')}
    FROM locked ${judgedFromSql('locked_subscription_id')}
  ), moved AS (
    UPDATE deliveries d SET ${claimedSql('g."leaseMs"', 'd.next_attempt_at')}
    FROM judged, given g WHERE ${isLocked} RETURNING ${claimedRowSql}
  ), lined AS (
    SELECT id, "tenantId" AS tenant_id, "subscriptionId" AS subscription_id FROM moved WHERE status = 'held'
  ), marked AS (${markedSql})
  SELECT * FROM moved`

async function claimAll(sql: Sql, claims: readonly Claim[]): Promise<(Claimed | undefined)[]> {
  return inOrder(claims, await sql.$queryRawUnsafe<(Moved & Claimed)[]>(claimSql, ...write(claims)))
}

const recordSql = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, status text, "delayMs" bigint, queued boolean,
      "sweepAfterMs" bigint, "lastError" text, "startedAt" timestamptz, "durationMs" int, "statusCode" int,
      "errorKind" text, "errorDetail" text, "responseBody" text, "responseTruncated" boolean, timings jsonb,
      "credentialNames" jsonb)
  ), locked AS MATERIALIZED (
    ${lockable(`d.status IN ('delivering', 'pending', 'retrying', 'discarded')`)}
  ), moved AS (
    UPDATE deliveries d SET attempt_count = d.attempt_count + 1, schedule_position = d.schedule_position + 1,
      status = CASE WHEN d.status = 'discarded' THEN d.status ELSE g.status::"DeliveryStatus" END,
      next_attempt_at = CASE WHEN d.status <> 'discarded' THEN now() + g."delayMs" * interval '1 millisecond' END,
      queued = d.status <> 'discarded' AND g.queued,
      sweep_at = CASE WHEN d.status <> 'discarded' THEN now() + g."sweepAfterMs" * interval '1 millisecond' END,
      dead_at = CASE WHEN d.status <> 'discarded' AND g.status = 'dead' THEN now() END,
      last_error = g."lastError", last_error_kind = g."errorKind", last_status_code = g."statusCode", updated_at = now()
    FROM locked, given g WHERE ${isLocked}
    RETURNING d.id, d.attempt_count, d.tenant_id, d.status AS new_status, d.next_attempt_at, d.occurred_at, g."attemptCount"
  ), recorded AS (
    INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, error_kind, error_detail,
      response_body, response_truncated, timings, credential_names, next_attempt_at)
    SELECT id, attempt_count, tenant_id, g."startedAt", g."durationMs", g."statusCode", g."errorKind", g."errorDetail",
      decode(g."responseBody", 'base64'), g."responseTruncated", g.timings, g."credentialNames", next_attempt_at
    FROM moved JOIN given g USING (id, "attemptCount")
  )
  SELECT id, "attemptCount", new_status::text AS status, (extract(epoch FROM now() - occurred_at) * 1000)::float8 AS "ageMs"
  FROM moved`

async function recordAll(sql: Sql, records: readonly AttemptRecord[]): Promise<(Recorded | undefined)[]> {
  return inOrder(records, await sql.$queryRawUnsafe<(Moved & Recorded)[]>(recordSql, ...write(records)))
}

const putBackSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, "waitMs" int)),
  locked AS MATERIALIZED (${lockable(`d.status = 'delivering'`)})
  UPDATE deliveries d SET queued = false, updated_at = now(),
    status = (CASE WHEN d.schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus",
    next_attempt_at = now() + g."waitMs" * interval '1 millisecond',
    sweep_at = now() + g."waitMs" * interval '1 millisecond'
  FROM locked, given g WHERE ${isLocked}`

async function putBackAll(sql: Sql, waits: readonly Wait[]): Promise<undefined[]> {
  await sql.$executeRawUnsafe(putBackSql, ...write(waits))
  return waits.map(() => undefined)
}

const lineUpSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, claimed boolean)),
  locked AS MATERIALIZED (${lockable(`d.status IN ('pending', 'retrying') OR d.status = 'delivering' AND g.claimed`)}),
  lined AS (
    UPDATE deliveries d SET queued = false, waiting = true, next_attempt_at = now(), sweep_at = NULL, updated_at = now(),
      status = ${waitingStatusSql}
    FROM locked, given g, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
    WHERE ${isLocked} AND s.id = d.subscription_id
    RETURNING d.id, d.tenant_id, d.subscription_id
  )
  ${markedSql}`

async function lineUpAll(sql: Sql, items: readonly LineUp[]): Promise<undefined[]> {
  // Of two messages for the same attempt the last is written: the one whose worker has claimed it.
  const claimedLast = [...items].sort((one, other) => Number(one.claimed) - Number(other.claimed))
  await sql.$executeRawUnsafe(lineUpSql, ...write(claimedLast))
  return items.map(() => undefined)
}

const keyOf = ({ id, attemptCount }: Moved) => `${id}/${attemptCount}`

/** The items, and the smallest and the largest id. Two messages for the same attempt may meet in a batch: one of them is written. */
function write(items: readonly WorkItem[]): [string, string, string] {
  const ids = items.map(({ id }) => id)
  return [
    JSON.stringify([...new Map(items.map((item) => [keyOf(item), item])).values()]),
    ids.reduce((least, id) => (id < least ? id : least)),
    ids.reduce((most, id) => (id > most ? id : most)),
  ]
}

/** What moved, in the order of the items; of several items for the same attempt the first has it. */
function inOrder<Row extends Moved>(items: readonly WorkItem[], moved: readonly Row[]): (Row | undefined)[] {
  const found = new Map(moved.map((row) => [keyOf(row), row]))
  return items.map((item) => {
    const row = found.get(keyOf(item))
    found.delete(keyOf(item))
    return row
  })
}
