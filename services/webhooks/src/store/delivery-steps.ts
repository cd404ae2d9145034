import type { SqlTx as Sql } from '@payments/chassis/transaction'
import type { Outcome } from '../domain/outcome.ts'
import { microBatch } from '../micro-batch.ts'
import type { WorkItem } from './work.ts'

/**
 * The dispatcher's hot path: the steps of a delivery, each of them one statement for all deliveries that take it within 5 ms,
 * so one round trip and one commit for up to a hundred. A step resolves after its commit.
 *
 * `attempt_count` tells which attempt is next, and every step names the one it believes in: of two workers on the same
 * delivery one moves the row, the other finds nothing. Rows are locked in the order of their ids, so that two batches with the
 * same rows in them wait for each other and do not deadlock. Instants are the database's, so that processes need not agree on
 * time.
 */
export interface DeliverySteps {
  /**
   * Takes the delivery for one attempt, for `leaseMs`. Undefined where that attempt was made, is being made, or is wanted no
   * more. A delivery whose subscription is gone is discarded here.
   */
  claim(work: WorkItem, leaseMs: number): Promise<Claimed | undefined>
  /**
   * Commits an attempt and what follows it. Undefined where another worker has committed this attempt before. A delivery
   * discarded meanwhile stays so.
   */
  record(work: WorkItem, outcome: Outcome, next: Next): Promise<Recorded | undefined>
  /** Back to the row for `waitMs`, not charged: no slot was free (`waiting`), or a claimed attempt was not made (`claimed`). */
  putBack(work: WorkItem, from: 'waiting' | 'claimed', waitMs: number): Promise<void>
}

export interface Claimed {
  readonly status: 'delivering' | 'discarded'
  readonly schedulePosition: number
  /** As text: the same bytes, and they come through the driver at half the cost. */
  readonly body: string
  readonly tenantEventId: string
  readonly traceId: string
  readonly eventType: string
  readonly destinationUrl: string
  readonly secretSealed: Uint8Array | null
  /** The secret before the last rotation, while its grace lasts. */
  readonly previousSecretSealed: Uint8Array | null
  readonly authInfoId: string | null
  readonly authInfoVersion: number | null
  readonly configSealed: Uint8Array | null
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
  return {
    claim: (work, leaseMs) => claim({ ...work, leaseMs }),
    record: (work, { responseBody, startedAt, ...outcome }, next) => {
      const body = responseBody === null ? null : Buffer.from(responseBody).toString('base64')
      return record({ ...work, ...outcome, ...next, startedAt: startedAt.toISOString(), responseBody: body })
    },
    putBack: (work, from, waitMs) => putBack({ ...work, from, waitMs }),
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
  readonly from: 'waiting' | 'claimed'
  readonly waitMs: number
}

interface Moved {
  readonly id: string
  /** The attempt that was next when the step began. */
  readonly attemptCount: number
}

/** What every step names, and the rows it may move: locked, in order. */
const named = `id uuid, "tenantId" uuid, "attemptCount" int`
const lockable = (condition: string) => `
  SELECT d.id AS locked_id FROM given g JOIN deliveries d
    ON d.id = g.id AND d.tenant_id = g."tenantId" AND d.attempt_count = g."attemptCount"
  WHERE ${condition} ORDER BY d.id FOR UPDATE OF d`
const isLocked = `d.id = locked_id AND g.id = d.id AND g."attemptCount" = d.attempt_count`

const claimSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, "leaseMs" int)),
  locked AS MATERIALIZED (
    ${lockable(`d.status IN ('pending', 'retrying') OR (d.status = 'delivering' AND d.sweep_at <= now())`)}
  )
  UPDATE deliveries d SET queued = false, updated_at = now(),
    status = (CASE WHEN s.deleted_at IS NULL THEN 'delivering' ELSE 'discarded' END)::"DeliveryStatus",
    sweep_at = CASE WHEN s.deleted_at IS NULL THEN now() + g."leaseMs" * interval '1 millisecond' END,
    next_attempt_at = CASE WHEN s.deleted_at IS NULL THEN d.next_attempt_at END
  FROM locked, given g, subscriptions s
    LEFT JOIN auth_infos a ON a.id = s.webhook_auth_info_id AND a.tenant_id = s.tenant_id
  WHERE ${isLocked} AND s.id = d.subscription_id
  RETURNING d.id, d.attempt_count AS "attemptCount", d.status, d.schedule_position AS "schedulePosition", convert_from(d.body, 'UTF8') AS body,
    d.tenant_event_id AS "tenantEventId", d.trace_id AS "traceId", d.event_type AS "eventType",
    s.destination_url AS "destinationUrl", s.secret_sealed AS "secretSealed",
    CASE WHEN s.previous_secret_expires_at > now() THEN s.previous_secret_sealed END AS "previousSecretSealed",
    s.webhook_auth_info_id AS "authInfoId", a.version AS "authInfoVersion", a.config_sealed AS "configSealed"`

async function claimAll(sql: Sql, claims: readonly Claim[]): Promise<(Claimed | undefined)[]> {
  return inOrder(claims, await sql.$queryRawUnsafe<(Moved & Claimed)[]>(claimSql, write(claims)))
}

const recordSql = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, status text, "delayMs" bigint, queued boolean,
      "sweepAfterMs" bigint, "lastError" text, "startedAt" timestamptz, "durationMs" int, "statusCode" int,
      "errorKind" text, "errorDetail" text, "responseBody" text, "responseTruncated" boolean, timings jsonb)
  ), locked AS MATERIALIZED (
    ${lockable(`d.status IN ('delivering', 'pending', 'retrying', 'discarded')`)}
  ), moved AS (
    UPDATE deliveries d SET attempt_count = d.attempt_count + 1, schedule_position = d.schedule_position + 1,
      status = CASE WHEN d.status = 'discarded' THEN d.status ELSE g.status::"DeliveryStatus" END,
      next_attempt_at = CASE WHEN d.status <> 'discarded' THEN now() + g."delayMs" * interval '1 millisecond' END,
      queued = d.status <> 'discarded' AND g.queued,
      sweep_at = CASE WHEN d.status <> 'discarded' THEN now() + g."sweepAfterMs" * interval '1 millisecond' END,
      dead_at = CASE WHEN d.status <> 'discarded' AND g.status = 'dead' THEN now() END,
      last_error = g."lastError", updated_at = now()
    FROM locked, given g WHERE ${isLocked}
    RETURNING d.id, d.attempt_count, d.tenant_id, d.status AS new_status, d.next_attempt_at, d.occurred_at, g."attemptCount"
  ), recorded AS (
    INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, error_kind, error_detail,
      response_body, response_truncated, timings, next_attempt_at)
    SELECT id, attempt_count, tenant_id, g."startedAt", g."durationMs", g."statusCode", g."errorKind", g."errorDetail",
      decode(g."responseBody", 'base64'), g."responseTruncated", g.timings, next_attempt_at
    FROM moved JOIN given g USING (id, "attemptCount")
  )
  SELECT id, "attemptCount", new_status::text AS status, (extract(epoch FROM now() - occurred_at) * 1000)::float8 AS "ageMs"
  FROM moved`

async function recordAll(sql: Sql, records: readonly AttemptRecord[]): Promise<(Recorded | undefined)[]> {
  return inOrder(records, await sql.$queryRawUnsafe<(Moved & Recorded)[]>(recordSql, write(records)))
}

const putBackSql = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${named}, "from" text, "waitMs" int)),
  locked AS MATERIALIZED (
    ${lockable(`CASE g."from" WHEN 'claimed' THEN d.status = 'delivering' ELSE d.status IN ('pending', 'retrying') END`)}
  )
  UPDATE deliveries d SET queued = false, updated_at = now(),
    status = (CASE WHEN d.schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus",
    next_attempt_at = now() + g."waitMs" * interval '1 millisecond',
    sweep_at = now() + g."waitMs" * interval '1 millisecond'
  FROM locked, given g WHERE ${isLocked}`

async function putBackAll(sql: Sql, waits: readonly Wait[]): Promise<undefined[]> {
  await sql.$executeRawUnsafe(putBackSql, write(waits))
  return waits.map(() => undefined)
}

const keyOf = ({ id, attemptCount }: Moved) => `${id}/${attemptCount}`

/** Two messages for the same attempt may meet in a batch: the statement sees one of them. */
function write(items: readonly WorkItem[]): string {
  return JSON.stringify([...new Map(items.map((item) => [keyOf(item), item])).values()])
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
