import type { SqlTx as Sql } from '@payments/chassis/database/transaction'

/**
 * **What it does.** Stores which destinations have a backlog: deliveries that wait for them, in the order of their
 * events, because the subscription is disabled, the circuit breaker is open or no permit was free.
 *
 * **Participants.** Every statement that sets `deliveries.backlogged` (delivery-state.ts, fan-out.ts) also executes
 * `markBacklogSql`, which sets `destinations.has_backlog` and increments `backlog_version`. The backlog dispatcher
 * searches only destinations with `has_backlog`, and clears the flag of an empty backlog.
 *
 * **Guarantees.** No delivery of a backlog is missed: the flag is cleared only while `backlog_version` is unchanged
 * since the backlog was found empty. One process half-opens a breaker at a time.
 *
 * **Not guaranteed.** That a backlog with the flag has deliveries.
 */

/**
 * Marks the destinations of `added (id, tenant_id, subscription_id)`, a CTE of the same statement, in lock order.
 */
export const markBacklogSql = `
  INSERT INTO destinations AS t (subscription_id, tenant_id, has_backlog, backlog_version, backlog_min_id, backlog_max_id)
  SELECT subscription_id, tenant_id, true, 1, (array_agg(id ORDER BY id))[1], (array_agg(id ORDER BY id DESC))[1]
  FROM added GROUP BY subscription_id, tenant_id ORDER BY subscription_id
  ON CONFLICT (subscription_id) DO UPDATE SET has_backlog = true, backlog_version = t.backlog_version + 1,
    backlog_min_id = least(t.backlog_min_id, excluded.backlog_min_id),
    backlog_max_id = greatest(t.backlog_max_id, excluded.backlog_max_id)`

export interface Backlog {
  readonly subscriptionId: string
  readonly tenantId: string
  /** A bigint as text. */
  readonly backlogVersion: string
  readonly backlogMinId: string
  readonly backlogMaxId: string
  /** Whether the circuit breaker allows one delivery, which this process sends. */
  readonly probe: boolean
}

/**
 * Backlogs that may be dispatched, by subscription, after `after`: of enabled subscriptions with a closed breaker,
 * and of deleted subscriptions, whose deliveries the claim discards. An open breaker whose time has come becomes half
 * open here, in one process, for `probeMs`.
 */
export async function listBacklogs(
  sql: Sql,
  { after, limit, probeMs }: { after: string | null; limit: number; probeMs: number },
): Promise<Backlog[]> {
  return sql.$queryRawUnsafe<Backlog[]>(
    `WITH eligible AS MATERIALIZED (
       SELECT t.subscription_id AS id, t.tenant_id, t.backlog_version, t.backlog_min_id, t.backlog_max_id,
         t.breaker <> 'closed' AND s.deleted_at IS NULL AS probe
       FROM destinations t JOIN subscriptions s ON s.id = t.subscription_id
       WHERE t.has_backlog AND t.subscription_id > $1::uuid
         AND (s.deleted_at IS NOT NULL OR s.enabled AND (t.breaker = 'closed' OR t.probe_at <= now()))
       ORDER BY t.subscription_id LIMIT $2::int
     ), due AS MATERIALIZED (
       SELECT t.subscription_id FROM destinations t JOIN eligible ON t.subscription_id = eligible.id
       WHERE probe AND t.breaker <> 'closed' AND t.probe_at <= now()
       ORDER BY t.subscription_id FOR UPDATE OF t
     ), half_opened AS (
       UPDATE destinations t
       SET breaker = 'half_open', probe_at = now() + $3::int * interval '1 millisecond', probe_delivery_id = NULL
       FROM due WHERE t.subscription_id = due.subscription_id
       RETURNING t.subscription_id
     )
     SELECT id AS "subscriptionId", tenant_id AS "tenantId", backlog_version AS "backlogVersion",
       backlog_min_id AS "backlogMinId", backlog_max_id AS "backlogMaxId", probe
     FROM eligible WHERE NOT probe OR id IN (SELECT subscription_id FROM half_opened) ORDER BY id`,
    after ?? '00000000-0000-0000-0000-000000000000',
    limit,
    probeMs,
  )
}

/**
 * Whether one of the destinations is behind: `rowsMin` deliveries or more wait for it, or one that no task sends.
 * Deliveries of earlier events would be sent before that one. A destination whose subscription is disabled or whose
 * breaker is open is not behind: nothing is sent to it.
 */
export async function isBehind(sql: Sql, subscriptionIds: readonly string[], rowsMin: number): Promise<boolean> {
  const rows = await sql.$queryRawUnsafe<unknown[]>(
    `SELECT 1 FROM destinations t JOIN subscriptions s ON s.id = t.subscription_id CROSS JOIN LATERAL (
       SELECT count(*) AS waiting, bool_or(latest.task_id IS NULL) AS has_new FROM (
         SELECT d.task_id FROM deliveries d WHERE d.subscription_id = t.subscription_id AND d.backlogged
           AND d.id BETWEEN t.backlog_min_id AND t.backlog_max_id ORDER BY d.id DESC LIMIT $2::int) AS latest) AS backlog
     WHERE t.subscription_id = ANY($1::uuid[]) AND t.has_backlog AND t.breaker = 'closed' AND s.enabled
       AND (waiting >= $2::int OR has_new) LIMIT 1`,
    subscriptionIds,
    rowsMin,
  )
  return rows.length > 0
}

export interface BacklogState {
  /** Deliveries in backlogs, held ones included. */
  readonly backlogged: number
  /** Those whose subscription is enabled and whose breaker is closed. */
  readonly dispatchable: number
  /** Time since the first of `dispatchable` entered its backlog. 0 without any. */
  readonly oldestDispatchableSeconds: number
  readonly breakersOpen: number
}

/** For metrics. Counts at most 100 000 deliveries. */
export async function countBacklog(sql: Sql): Promise<BacklogState> {
  const [row] = await sql.$queryRawUnsafe<[BacklogState]>(
    `SELECT count(*)::int AS backlogged, count(*) FILTER (WHERE dispatchable)::int AS dispatchable,
       coalesce(extract(epoch FROM now() - min(updated_at) FILTER (WHERE dispatchable)), 0)::float8
         AS "oldestDispatchableSeconds",
       (SELECT count(*)::int FROM destinations WHERE breaker <> 'closed') AS "breakersOpen"
     FROM (
       SELECT d.updated_at, s.enabled AND s.deleted_at IS NULL AND t.breaker = 'closed' AS dispatchable
       FROM (SELECT subscription_id, updated_at FROM deliveries WHERE backlogged LIMIT 100000) AS d
       LEFT JOIN subscriptions s ON s.id = d.subscription_id LEFT JOIN destinations t ON t.subscription_id = s.id
     ) AS counted`,
  )
  return row
}

/**
 * Clears the flags of backlogs that were found empty, except those to which a delivery was added since, or from which
 * another dispatcher is claiming. Returns the subscriptions whose flag was cleared.
 */
export async function closeBacklogs(sql: Sql, backlogs: readonly Backlog[]): Promise<string[]> {
  const given = backlogs.map(({ subscriptionId, backlogVersion }) => ({ subscriptionId, backlogVersion }))
  const { from, to } = idRange(backlogs)
  const closed = await sql.$queryRawUnsafe<{ id: string }[]>(
    `UPDATE destinations t SET has_backlog = false, backlog_min_id = NULL, backlog_max_id = NULL
     FROM jsonb_to_recordset($1::jsonb) AS g("subscriptionId" uuid, "backlogVersion" bigint)
     WHERE t.subscription_id = g."subscriptionId" AND t.backlog_version = g."backlogVersion" AND NOT EXISTS (
       SELECT FROM deliveries d
       WHERE d.subscription_id = g."subscriptionId" AND d.backlogged AND d.id BETWEEN $2::uuid AND $3::uuid)
     RETURNING t.subscription_id AS id`,
    JSON.stringify(given),
    from,
    to,
  )
  return closed.map(({ id }) => id)
}

/** The ids that the backlogs contain, as values, so that the planner excludes the partitions of all other days. */
export function idRange(backlogs: readonly Backlog[]): { from: string; to: string } {
  return {
    from: backlogs.map(({ backlogMinId }) => backlogMinId).reduce((least, id) => (id < least ? id : least)),
    to: backlogs.map(({ backlogMaxId }) => backlogMaxId).reduce((most, id) => (id > most ? id : most)),
  }
}
