import type { SqlTx as Sql } from '@payments/chassis/transaction'
import type { WorkItem } from '../domain/work-item.ts'
import { among, type Claimed, claimedRowSql, claimedSql, judgedFromSql, judgedSql } from './claim.ts'

/**
 * The line of a destination: deliveries that are due and have to wait for it, `waiting` in their rows, in the order of their
 * events. They wait there because its subscription is disabled, its breaker is open, its window is full; workers hold only
 * what can be sent soon, so that a backlog of one tenant stands in nobody's way.
 *
 * `destinations.waiting` says where there is a line, so that the feeder finds the few among many. Whoever adds to a line marks its
 * destination in the same statement, which makes `marks` grow; the feeder withdraws the mark only where it found the line ended
 * and nobody has marked it since. A line is therefore never forgotten.
 */

/** Marks the destinations of `lined (id, tenant_id, subscription_id)`, a part of the same statement. Locks them in order. */
export const markedSql = `
  INSERT INTO destinations AS t (subscription_id, tenant_id, waiting, marks, waiting_from, waiting_to)
  SELECT subscription_id, tenant_id, true, 1, (array_agg(id ORDER BY id))[1], (array_agg(id ORDER BY id DESC))[1]
  FROM lined GROUP BY subscription_id, tenant_id ORDER BY subscription_id
  ON CONFLICT (subscription_id) DO UPDATE SET waiting = true, marks = t.marks + 1,
    waiting_from = least(t.waiting_from, excluded.waiting_from), waiting_to = greatest(t.waiting_to, excluded.waiting_to)`

/** The status of a delivery `d` that waits, its subscription being `s` and its destination, if there is one yet, `t`. */
export const waitingStatusSql = `(CASE WHEN NOT s.enabled OR t.breaker <> 'closed' THEN 'held'
  WHEN d.schedule_position = 0 THEN 'pending' ELSE 'retrying' END)::"DeliveryStatus"`

const rowsBehindMax = '15 minutes'

/**
 * Puts what is due and has nobody into the line of its destination: waits that rest in the row, leases that ran out, and, unless
 * `queuedToo` is false, messages that did not come (those 15 minutes overdue in any case). Several sweepers share the work.
 * Returns whose they are.
 */
export function lineUpDue(
  sql: Sql,
  { rowsMax, queuedToo }: { rowsMax: number; queuedToo: boolean },
): Promise<{ subscriptionId: string }[]> {
  return sql.$queryRawUnsafe<{ subscriptionId: string }[]>(
    `WITH due AS MATERIALIZED (
       SELECT id AS due_id FROM deliveries
       WHERE sweep_at <= now() AND (NOT queued OR $2 OR sweep_at <= now() - interval '${rowsBehindMax}')
       ORDER BY sweep_at LIMIT $1::int FOR UPDATE SKIP LOCKED
     ), lined AS (
       UPDATE deliveries d SET queued = false, waiting = true, sweep_at = NULL, updated_at = now(), status = ${waitingStatusSql}
       FROM due, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
       WHERE d.id = due_id AND s.id = d.subscription_id
       RETURNING d.id, d.tenant_id, d.subscription_id
     ), marked AS (${markedSql})
     SELECT subscription_id AS "subscriptionId" FROM lined`,
    rowsMax,
    queuedToo,
  )
}

export interface Line {
  readonly subscriptionId: string
  readonly tenantId: string
  readonly marks: bigint
  readonly waitingFrom: string
  readonly waitingTo: string
  /** Its breaker lets one delivery through, and this process is the one to send it. */
  readonly probe: boolean
}

/**
 * Lines that may move, by subscription, after `after`: of enabled subscriptions whose breaker is closed, and of deleted ones, whose
 * deliveries the worker discards. An open breaker whose time has come is half-opened here, by one process, for `probeMs`.
 */
export async function listLines(
  sql: Sql,
  { after, limit, probeMs }: { after: string | null; limit: number; probeMs: number },
): Promise<Line[]> {
  return sql.$queryRawUnsafe<Line[]>(
    `WITH movable AS MATERIALIZED (
       SELECT t.subscription_id AS id, t.tenant_id, t.marks, t.waiting_from, t.waiting_to,
         t.breaker <> 'closed' AND s.deleted_at IS NULL AS probe
       FROM destinations t JOIN subscriptions s ON s.id = t.subscription_id
       WHERE t.waiting AND t.subscription_id > $1::uuid
         AND (s.deleted_at IS NOT NULL OR s.enabled AND (t.breaker = 'closed' OR t.probe_at <= now()))
       ORDER BY t.subscription_id LIMIT $2::int
     ), halved AS (
       UPDATE destinations t SET breaker = 'half_open', probe_at = now() + $3::int * interval '1 millisecond', probe_delivery_id = NULL
       FROM movable WHERE probe AND t.subscription_id = movable.id AND t.breaker <> 'closed' AND t.probe_at <= now()
       RETURNING t.subscription_id
     )
     SELECT id AS "subscriptionId", tenant_id AS "tenantId", marks, waiting_from AS "waitingFrom", waiting_to AS "waitingTo", probe
     FROM movable WHERE NOT probe OR id IN (SELECT subscription_id FROM halved) ORDER BY id`,
    after ?? '00000000-0000-0000-0000-000000000000',
    limit,
    probeMs,
  )
}

/** For the meters; counts 100 000 at the most. */
export async function countLines(sql: Sql): Promise<{ waiting: number; breakersOpen: number }> {
  const [row] = await sql.$queryRawUnsafe<[{ waiting: number; breakersOpen: number }]>(
    `SELECT (SELECT count(*)::int FROM (SELECT FROM deliveries WHERE waiting LIMIT 100000) AS lined) AS waiting,
       (SELECT count(*)::int FROM destinations WHERE breaker <> 'closed') AS "breakersOpen"`,
  )
  return row
}

export interface Taken extends WorkItem, Claimed {}

export interface Feed {
  readonly line: Line
  readonly room: number
}

/**
 * Claims the oldest deliveries of each line, as many as there is room for. Several feeders share a line. One that probes is noted as
 * the destination's. What was disabled meanwhile stays in its line, held.
 */
export function takeFromLines(sql: Sql, feeds: readonly Feed[], leaseMs: number): Promise<Taken[]> {
  const { from, to } = boundsOf(feeds.map(({ line }) => line))
  const given = feeds.map(({ line: { subscriptionId, probe }, room }) => ({ subscriptionId, probe, room }))
  return sql.$queryRawUnsafe<Taken[]>(
    `WITH given AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS r("subscriptionId" uuid, probe boolean, room int)
     ), taken AS MATERIALIZED (
       SELECT oldest.id AS taken_id, g."subscriptionId", g.probe FROM given g CROSS JOIN LATERAL (
         SELECT d.id FROM deliveries d
         WHERE d.subscription_id = g."subscriptionId" AND d.waiting AND d.id BETWEEN $2::uuid AND $3::uuid
         ORDER BY d.id LIMIT g.room FOR UPDATE SKIP LOCKED) oldest
     ), probing AS (
       UPDATE destinations t SET probe_delivery_id = taken_id FROM taken
       WHERE taken.probe AND t.subscription_id = taken."subscriptionId" AND t.breaker = 'half_open'
     ), judged AS MATERIALIZED (
       SELECT taken_id, ${judgedSql('taken.probe')} FROM taken ${judgedFromSql('taken."subscriptionId"')}
     )
     UPDATE deliveries d SET ${claimedSql('$4::int', 'now()')}
     FROM judged WHERE d.id = taken_id AND ${among('SELECT taken_id FROM taken')} AND d.id BETWEEN $2::uuid AND $3::uuid
     RETURNING ${claimedRowSql}`,
    JSON.stringify(given),
    from,
    to,
    leaseMs,
  )
}

/**
 * Withdraws the marks of lines that were found ended, but for those that somebody has marked since, or from which another feeder is
 * just taking the last. Returns whose did.
 */
export async function closeLines(sql: Sql, lines: readonly Line[]): Promise<string[]> {
  const given = lines.map(({ subscriptionId, marks }) => ({ subscriptionId, marks: String(marks) }))
  const { from, to } = boundsOf(lines)
  const closed = await sql.$queryRawUnsafe<{ id: string }[]>(
    `UPDATE destinations t SET waiting = false, waiting_from = NULL, waiting_to = NULL
     FROM jsonb_to_recordset($1::jsonb) AS g("subscriptionId" uuid, marks bigint)
     WHERE t.subscription_id = g."subscriptionId" AND t.marks = g.marks AND NOT EXISTS (
       SELECT FROM deliveries d
       WHERE d.subscription_id = g."subscriptionId" AND d.waiting AND d.id BETWEEN $2::uuid AND $3::uuid)
     RETURNING t.subscription_id AS id`,
    JSON.stringify(given),
    from,
    to,
  )
  return closed.map(({ id }) => id)
}

/** What the days that are looked into must cover: given as values, so that the planner leaves out all others. */
function boundsOf(lines: readonly Line[]): { from: string; to: string } {
  return {
    from: lines.map((line) => line.waitingFrom).reduce((least, id) => (id < least ? id : least)),
    to: lines.map((line) => line.waitingTo).reduce((most, id) => (id > most ? id : most)),
  }
}

/**
 * Begins deliveries anew, whatever became of them: a fresh schedule, from the line of their destination. Of every tenant where
 * `tenantId` is null. Returns how many.
 */
export async function reviveDeliveries(tx: Sql, tenantId: string | null, ids: readonly string[]): Promise<number> {
  const sorted = [...ids].sort()
  const [row] = await tx.$queryRawUnsafe<{ revived: number }[]>(
    `WITH locked AS MATERIALIZED (
       SELECT id AS locked_id FROM deliveries WHERE id = ANY($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid
         AND ($4::uuid IS NULL OR tenant_id = $4::uuid)
       ORDER BY id FOR UPDATE
     ), lined AS (
       UPDATE deliveries d SET status = (CASE WHEN NOT s.enabled OR t.breaker <> 'closed' THEN 'held' ELSE 'pending' END)::"DeliveryStatus",
         schedule_position = 0, dead_at = NULL, discarded_by = NULL, discard_reason = NULL, next_attempt_at = now(),
         queued = false, waiting = true, sweep_at = NULL, updated_at = now()
       FROM locked, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
       WHERE d.id = locked_id AND d.id = ANY($1::uuid[]) AND d.id BETWEEN $2::uuid AND $3::uuid AND s.id = d.subscription_id
       RETURNING d.id, d.tenant_id, d.subscription_id
     ), marked AS (${markedSql})
     SELECT count(*)::int AS revived FROM lined`,
    sorted,
    sorted[0] ?? null,
    sorted.at(-1) ?? null,
    tenantId,
  )
  return row?.revived ?? 0
}
