import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { claimLeaseMs } from '../../domain/attempt/attempt-limits.ts'
import { markBacklogSql } from '../delivery/backlog.ts'
import { type DeliveryTarget, targetFromSql, targetRowSql, targetSql } from '../delivery/claim.ts'

/**
 * The statements of fan-out: one matches the subscriptions of many events (dispatch/fan-out.ts), another one stores the
 * result in the initial state that dispatch/create-deliveries.ts decides.
 */

/** A search for the subscriptions of one event. */
export interface MatchQuery {
  /** Number of the event within the query. */
  readonly number: number
  readonly tenantId: string
  /** Null: an event of the tenant as a whole. */
  readonly businessUnitId: string | null
  /** The only subscription of a test event, regardless of its event types. */
  readonly only: string | null
  /** The entries of `event_types` that match the event. */
  readonly patterns: readonly string[]
  readonly after: string
  readonly limit: number
}

export interface SubscriptionMatch {
  readonly number: number
  readonly id: string
  readonly businessUnitId: string
  /** Whether the subscription is disabled, or the breaker of its destination open. */
  readonly held: boolean
}

/** Each branch has the conditions and the order of a partial index, which deleted subscriptions have left. */
const matchesSql = (ofUnits: string) => `
  SELECT s.id, s.business_unit_id, s.enabled FROM subscriptions s
  WHERE s.tenant_id = g."tenantId" AND ${ofUnits} AND s.deleted_at IS NULL AND s.id > g.after
    AND CASE WHEN g."only" IS NULL THEN cardinality(s.event_types) = 0 OR s.event_types && g.patterns ELSE s.id = g."only" END
  ORDER BY s.id LIMIT g."limit"`

/**
 * The subscriptions of each event: of one unit, or of every unit of the tenant. By id, at most `limit` after `after`.
 */
export function matchSubscriptions(sql: Sql, queries: readonly MatchQuery[]): Promise<SubscriptionMatch[]> {
  return sql.$queryRawUnsafe<SubscriptionMatch[]>(
    `SELECT g.number, m.id, m.business_unit_id AS "businessUnitId",
       NOT m.enabled OR coalesce(t.breaker, 'closed') <> 'closed' AS held
     FROM jsonb_to_recordset($1::jsonb)
       AS g(number int, "tenantId" uuid, "businessUnitId" uuid, "only" uuid, patterns text[], after uuid, "limit" int)
     CROSS JOIN LATERAL (
       (${matchesSql('s.business_unit_id = g."businessUnitId"')})
       UNION ALL (${matchesSql('g."businessUnitId" IS NULL')})) m
     LEFT JOIN destinations t ON t.subscription_id = m.id
     ORDER BY g.number, m.id`,
    JSON.stringify(queries),
  )
}

export interface EventInsert {
  readonly number: number
  readonly id: string
  readonly tenantId: string
  readonly businessUnitId: string | null
  readonly type: string
  readonly traceId: string
  /** Of the span that creates the deliveries. Undefined while tracing is off. */
  readonly traceparent?: string | undefined
  readonly occurredAt: string
  /** JSON text. */
  readonly payload: string
  /** The resource that a new event is about. */
  readonly resourceId?: string | null
  /** The last subscription of the first page, if other pages follow, and how many the page has. */
  readonly continueAfter?: string | null
  readonly pageLength?: number
}

export interface DeliveryInsert {
  readonly id: string
  /** The number of its event. */
  readonly number: number
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly traceId: string
  /**
   * claimed: due, and this process attempts the delivery. backlogged: due, and waits for its destination. held: as
   * backlogged, while the subscription is disabled or the breaker open. tested: as claimed, also in that case.
   */
  readonly initial: 'claimed' | 'tested' | 'backlogged' | 'held'
}

/** New deliveries of one subscription. `target` is set when some were to be claimed; it is the same for all of them. */
export interface Inserted {
  readonly ids: readonly string[]
  readonly target: DeliveryTarget | null
}

/** One row per subscription: fields repeated per delivery would cost the driver more than everything else. */
type InsertedRow = { readonly ids: string } & (DeliveryTarget | { readonly disposition: null })

/**
 * Events with further pages, also those that exist: an earlier fan-out may have missed some of their pages. An event
 * that is being continued stays as it is.
 */
const continuedSql = `continued AS (
    INSERT INTO unfinished_fan_outs (id, tenant_id, tenant_event_id, occurred_at, position, deliveries, traceparent, due_at)
    SELECT gen_random_uuid(), "tenantId", id, "occurredAt", "continueAfter", "pageLength", traceparent,
      date_trunc('milliseconds', now())
    FROM e WHERE "continueAfter" IS NOT NULL ORDER BY "tenantId", id ON CONFLICT DO NOTHING
  ),`

const insertSql = (newEventsOnly: boolean) => `
  WITH e AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS r(number int, id uuid, "tenantId" uuid, "businessUnitId" uuid, type text,
      "traceId" uuid, traceparent text, "occurredAt" timestamptz, payload text, "resourceId" uuid,
      "continueAfter" uuid, "pageLength" int)
  ), new_events AS (
    INSERT INTO events (tenant_id, tenant_event_id, occurred_at, business_unit_id, type, trace_id, payload, resource_id)
    SELECT "tenantId", id, "occurredAt", "businessUnitId", type, "traceId", payload, "resourceId" FROM e ON CONFLICT DO NOTHING
    RETURNING tenant_id, tenant_event_id
  ), given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($2::json)
      AS r(id uuid, number int, "subscriptionId" uuid, "businessUnitId" uuid, "traceId" uuid, initial text)
  ), ${newEventsOnly ? continuedSql : ''} targets AS MATERIALIZED (
    SELECT target_id, ${targetSql('false')}
    FROM (SELECT DISTINCT "subscriptionId" AS target_id FROM given WHERE initial IN ('claimed', 'tested')) AS g ${targetFromSql('target_id')}
  ), inserted AS (
    INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
      trace_id, traceparent, body, status, backlogged, next_attempt_at, sweep_at)
    SELECT g.id, e."tenantId", g."subscriptionId", g."businessUnitId", e.id, e.type, e."occurredAt", g."traceId", e.traceparent,
      CASE WHEN waits THEN webhooks_body(g."traceId", e."tenantId", e.type, e.payload, g."businessUnitId", e.id) END,
      state::"DeliveryStatus", waits,
      CASE WHEN state IN ('pending', 'delivering') THEN now() END,
      CASE WHEN state IN ('pending', 'delivering') AND g.initial <> 'backlogged'
        THEN now() + ${claimLeaseMs} * interval '1 millisecond' END
    FROM given g JOIN e USING (number)
    ${newEventsOnly ? 'JOIN new_events n ON (n.tenant_id, n.tenant_event_id) = (e."tenantId", e.id)' : ''}
    LEFT JOIN targets ON target_id = g."subscriptionId" AND g.initial IN ('claimed', 'tested')
    CROSS JOIN LATERAL (SELECT CASE WHEN g.initial = 'tested' AND disposition = 'held' THEN 'delivering'
      ELSE coalesce(disposition, CASE g.initial WHEN 'held' THEN 'held' ELSE 'pending' END) END AS state) AS b
    CROSS JOIN LATERAL (SELECT g.initial = 'backlogged' OR state = 'held' AS waits) AS w
    WHERE g.initial NOT IN ('claimed', 'tested') OR target_id IS NOT NULL
    ORDER BY g.id
    ON CONFLICT (id) DO NOTHING RETURNING id, tenant_id, subscription_id, backlogged
  ), added AS (
    SELECT id, tenant_id, subscription_id FROM inserted WHERE backlogged
  ), marked AS (${markBacklogSql})
  SELECT ids, ${targetRowSql}
  FROM (SELECT subscription_id, string_agg(id::text, ',') AS ids FROM inserted GROUP BY subscription_id) AS new_deliveries
  LEFT JOIN targets ON target_id = subscription_id`

const insertAllSql = insertSql(false)
const insertNewSql = insertSql(true)

/**
 * Stores the events, and the deliveries in their initial state. Rows that exist are left as they are. A delivery to be
 * claimed whose subscription has no row is left out. With `newEventsOnly`, an event that exists gets no delivery, and
 * events with further pages are stored as unfinished. Returns the new deliveries, by subscription.
 */
export async function insertDeliveries(
  sql: Sql,
  events: readonly EventInsert[],
  deliveries: readonly DeliveryInsert[],
  { newEventsOnly = false } = {},
): Promise<Inserted[]> {
  const rows = await sql.$queryRawUnsafe<InsertedRow[]>(
    newEventsOnly ? insertNewSql : insertAllSql,
    JSON.stringify(events),
    JSON.stringify(deliveries),
  )
  return rows.map((row) => ({ ids: row.ids.split(','), target: row.disposition === null ? null : row }))
}

export interface Repeated {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly tenantId: string
  readonly eventId: string
  readonly occurredAt: string
}

/** The deliveries whose subscription existed when fan-out first processed the event. */
export async function listEntitled(sql: Sql, repeated: readonly Repeated[]): Promise<string[]> {
  const instants = repeated.map(({ occurredAt }) => occurredAt).sort()
  const rows = await sql.$queryRawUnsafe<{ id: string }[]>(
    `SELECT g."deliveryId" AS id
     FROM json_to_recordset($1::json)
       AS g("deliveryId" uuid, "subscriptionId" uuid, "tenantId" uuid, "eventId" uuid, "occurredAt" timestamptz)
     JOIN events e ON (e.tenant_id, e.tenant_event_id, e.occurred_at) = (g."tenantId", g."eventId", g."occurredAt")
     JOIN subscriptions s ON s.id = g."subscriptionId" AND s.created_at <= e.seen_at
     WHERE e.occurred_at BETWEEN $2::timestamptz AND $3::timestamptz`,
    JSON.stringify(repeated),
    instants[0],
    instants.at(-1),
  )
  return rows.map(({ id }) => id)
}
