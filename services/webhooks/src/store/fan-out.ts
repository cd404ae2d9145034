import type { SqlTx as Sql } from '@payments/chassis/transaction'
import type { BodyFrame } from '../domain/delivery-body.ts'
import type { WorkItem } from '../domain/work-item.ts'
import { type Judged, judgedFromSql, judgedRowSql, judgedSql } from './claim.ts'
import { markedSql } from './line.ts'

/** How deliveries come to be: what matches many events is found by one statement, and stored by another. */
export interface Sought {
  /** Of the event, among those sought together. */
  readonly number: number
  readonly tenantId: string
  readonly businessUnitId: string | null
  /** The one subscription it is meant for, whatever types that chose. */
  readonly only: string | null
  /** What a subscription may name to get it. */
  readonly patterns: readonly string[]
  readonly after: string
  readonly limit: number
}

export interface Matching {
  readonly number: number
  readonly id: string
  readonly businessUnitId: string
  /** Deliveries wait in the line: the subscription is disabled, or the destination's breaker open. */
  readonly held: boolean
}

/** The subscriptions each event goes to: of one unit, or of every unit of the tenant; by id, at most `limit` after `after`. */
export function matchSubscriptions(sql: Sql, sought: readonly Sought[]): Promise<Matching[]> {
  return sql.$queryRawUnsafe<Matching[]>(
    `SELECT g.number, m.id, m.business_unit_id AS "businessUnitId",
       NOT m.enabled OR coalesce(t.breaker, 'closed') <> 'closed' AS held
     FROM jsonb_to_recordset($1::jsonb)
       AS g(number int, "tenantId" uuid, "businessUnitId" uuid, "only" uuid, patterns text[], after uuid, "limit" int)
     CROSS JOIN LATERAL (
       SELECT s.id, s.business_unit_id, s.enabled FROM subscriptions s
       WHERE s.tenant_id = g."tenantId" AND (g."businessUnitId" IS NULL OR s.business_unit_id = g."businessUnitId")
         AND s.deleted_at IS NULL AND s.id > g.after
         AND CASE WHEN g."only" IS NULL THEN cardinality(s.event_types) = 0 OR s.event_types && g.patterns ELSE s.id = g."only" END
       ORDER BY s.id LIMIT g."limit") m
     LEFT JOIN destinations t ON t.subscription_id = m.id
     ORDER BY g.number, m.id`,
    JSON.stringify(sought),
  )
}

export interface EventInsert extends BodyFrame {
  readonly number: number
  readonly id: string
  readonly tenantId: string
  readonly businessUnitId: string | null
  readonly type: string
  readonly traceId: string
  readonly occurredAt: string
  /** As JSON. */
  readonly payload: string
}

export interface DeliveryInsert {
  readonly id: string
  /** Of its event. */
  readonly number: number
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly traceId: string
  /**
   * taken: it is due, and this process works on it: it is claimed as it is stored (store/claim.ts). lined: it is due, and waits for
   * its destination; held: so it does, and nobody knows how long. sent: a message comes when it is due. resting: its first delay is
   * too long for the broker, so the sweeper comes.
   */
  readonly place: 'taken' | 'lined' | 'held' | 'sent' | 'resting'
}

export interface FirstWait {
  readonly firstDelayMs: number
  /** When the sweeper comes for what rests, for a message that got lost, or for what was taken by a process that died. */
  readonly sweepAfterMs: number
}

/** Deliveries of one subscription that were not there; `judged` where some were to be taken, and the same for all of these. */
export interface Inserted {
  readonly ids: readonly string[]
  readonly judged: Judged | null
}

/**
 * Stores the events, and a delivery per event and subscription: what is there already stays as it is. Returns the deliveries that
 * were not there, by subscription.
 */
export function insertDeliveries(
  sql: Sql,
  events: readonly EventInsert[],
  deliveries: readonly DeliveryInsert[],
  wait: FirstWait,
): Promise<Inserted[]> {
  return insert(sql, events, deliveries, wait, '')
}

/** The same, but of an event that is there already no delivery is made. */
export function insertDeliveriesOfUnseen(
  sql: Sql,
  events: readonly EventInsert[],
  deliveries: readonly DeliveryInsert[],
  wait: FirstWait,
): Promise<Inserted[]> {
  return insert(
    sql,
    events,
    deliveries,
    wait,
    'JOIN kept ON (kept.tenant_id, kept.tenant_event_id) = (e."tenantId", e.id)',
  )
}

async function insert(
  sql: Sql,
  events: readonly EventInsert[],
  deliveries: readonly DeliveryInsert[],
  { firstDelayMs, sweepAfterMs }: FirstWait,
  only: string,
): Promise<Inserted[]> {
  const rows = await sql.$queryRawUnsafe<InsertedRow[]>(
    `WITH e AS MATERIALIZED (
       SELECT * FROM json_to_recordset($1::json) AS r(number int, id uuid, "tenantId" uuid, "businessUnitId" uuid, type text,
         "traceId" uuid, "occurredAt" timestamptz, payload text, opening text, "afterTrace" text, "beforeUnit" text, closing text)
     ), kept AS (
       INSERT INTO events (tenant_id, tenant_event_id, occurred_at, business_unit_id, type, trace_id, payload)
       SELECT "tenantId", id, "occurredAt", "businessUnitId", type, "traceId", payload FROM e ON CONFLICT DO NOTHING
       RETURNING tenant_id, tenant_event_id
     ), given AS MATERIALIZED (
       SELECT * FROM json_to_recordset($2::json)
         AS r(id uuid, number int, "subscriptionId" uuid, "businessUnitId" uuid, "traceId" uuid, place text)
     ), judged AS MATERIALIZED (
       SELECT judged_id, ${judgedSql('false')}
       FROM (SELECT DISTINCT "subscriptionId" AS judged_id FROM given WHERE place = 'taken') AS g ${judgedFromSql('judged_id')}
     ), inserted AS (
       INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at, trace_id,
         body, status, queued, waiting, next_attempt_at, sweep_at)
       SELECT g.id, e."tenantId", g."subscriptionId", g."businessUnitId", e.id, e.type, e."occurredAt", g."traceId",
         convert_to(concat(opening, g."traceId", "afterTrace", payload, "beforeUnit", g."businessUnitId", closing), 'UTF8'),
         begun::"DeliveryStatus", g.place = 'sent', g.place = 'lined' OR begun = 'held',
         CASE WHEN begun IN ('pending', 'delivering') THEN now() + $3::bigint * interval '1 millisecond' END,
         CASE WHEN begun IN ('pending', 'delivering') AND g.place <> 'lined' THEN now() + $4::bigint * interval '1 millisecond' END
       FROM given g JOIN e USING (number) ${only} LEFT JOIN judged ON judged_id = g."subscriptionId" AND g.place = 'taken'
       CROSS JOIN LATERAL (SELECT coalesce(verdict, CASE g.place WHEN 'held' THEN 'held' ELSE 'pending' END) AS begun) AS b
       ORDER BY g.id
       ON CONFLICT (id) DO NOTHING RETURNING id, tenant_id, subscription_id, waiting
     ), lined AS (
       SELECT id, tenant_id, subscription_id FROM inserted WHERE waiting
     ), marked AS (${markedSql})
     SELECT ids, ${judgedRowSql}
     FROM (SELECT subscription_id, string_agg(id::text, ',') AS ids FROM inserted GROUP BY subscription_id) AS made
     LEFT JOIN judged ON judged_id = subscription_id`,
    JSON.stringify(events),
    JSON.stringify(deliveries),
    firstDelayMs,
    sweepAfterMs,
  )
  return rows.map((row) => ({ ids: row.ids.split(','), judged: row.status === null ? null : row }))
}

/** As few rows as there are subscriptions: what a row says of one takes the driver longer than all the rest. */
type InsertedRow = { readonly ids: string } & (Judged | { readonly status: null })

export interface Repeated {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly tenantId: string
  readonly eventId: string
  readonly occurredAt: string
}

/** Those that are to subscriptions there were when fan-out first saw the event. */
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

/** Those of `ids` whose first attempt is not made and whose message may have been lost. */
export function listUnbegun(sql: Sql, ids: readonly string[]): Promise<WorkItem[]> {
  const sorted = [...ids].sort()
  return sql.$queryRawUnsafe<WorkItem[]>(
    `SELECT id, tenant_id AS "tenantId", subscription_id AS "subscriptionId", attempt_count AS "attemptCount" FROM deliveries
     WHERE id = ANY($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid AND status = 'pending' AND attempt_count = 0 AND queued`,
    sorted,
    sorted[0],
    sorted.at(-1),
  )
}
