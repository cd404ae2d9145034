import { inIndexOrder } from '@payments/chassis/database/index-order'
import type { Recovery } from '../../domain/dead-letter/recovery.ts'
import { idsOfInstants } from '../../domain/delivery/delivery-id.ts'
import { testEventType } from '../../domain/event/event-type.ts'
import type { Tx } from '../database.ts'

/**
 * The deliveries and events of a range of time that a subscription should have received and did not.
 * domain/dead-letter/recovery.ts has the selection and the progress of a recovery.
 */

const recoverable = `d.tenant_id = $1::uuid AND d.subscription_id = $2::uuid AND d.id BETWEEN $3::uuid AND $4::uuid
  AND d.status IN ('dead', 'retrying', 'held')`

/** The ids of deliveries in the range of time, which does not include `until`. Ids have milliseconds. */
const deliveryIdRange = ({ since, until }: Recovery) => idsOfInstants(new Date(since), new Date(Date.parse(until) - 1))

function inRange(tenantId: string, recovery: Recovery) {
  const { subscriptionId } = recovery
  const { from, to } = deliveryIdRange(recovery)
  return [tenantId, subscriptionId, from, to]
}

export async function countRecoverable(tx: Tx, tenantId: string, recovery: Recovery): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE ${recoverable}`,
    ...inRange(tenantId, recovery),
  )
  return row.count
}

/** Locks recoverable deliveries, by id, after `after`. */
export async function lockRecoverable(
  tx: Tx,
  tenantId: string,
  recovery: Recovery,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT d.id FROM deliveries d WHERE ${recoverable} AND d.id > $5::uuid ORDER BY d.id LIMIT $6::int FOR UPDATE`,
    ...inRange(tenantId, recovery),
    after,
    rowsMax,
  )
  return rows.map(({ id }) => id)
}

/** The events `e` of the range. */
const inRangeOfEvents = `e.tenant_id = $1::uuid AND e.occurred_at >= $3::timestamptz AND e.occurred_at < $4::timestamptz`

/** Whether `e` matches the current `event_types` of the subscription `s`. A test is for the one that it names. */
const matches = `s.tenant_id = $1::uuid AND s.id = $2::uuid AND s.deleted_at IS NULL
    AND (e.business_unit_id IS NULL OR e.business_unit_id = s.business_unit_id) AND e.type <> '${testEventType}'
    AND (cardinality(s.event_types) = 0 OR e.type = ANY(s.event_types)
      OR EXISTS (SELECT FROM unnest(s.event_types) p WHERE right(p, 2) = '.*' AND starts_with(e.type, left(p, -1))))`

/** Counts the matching events without a delivery. `EXCEPT` reads each side once, and is hashed or sorted. */
export async function countUnmatched(tx: Tx, tenantId: string, recovery: Recovery): Promise<number> {
  const { subscriptionId, since, until } = recovery
  const { from, to } = deliveryIdRange(recovery)
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM (
       SELECT e.tenant_event_id FROM subscriptions s JOIN events e ON ${matches} WHERE ${inRangeOfEvents}
       EXCEPT SELECT d.tenant_event_id FROM deliveries d
       WHERE d.subscription_id = $2::uuid AND d.id BETWEEN $5::uuid AND $6::uuid) AS unmatched`,
    tenantId,
    subscriptionId,
    since,
    until,
    from,
    to,
  )
  return row.count
}

export interface RecoverableEvent {
  readonly id: string
  readonly occurredAt: Date
  readonly businessUnitId: string | null
  /** The business unit of the subscription. */
  readonly toUnitId: string
  readonly type: string
  readonly traceId: string
  /** JSON text. */
  readonly payload: string
  readonly held: boolean
}

interface ReadEvents {
  /** Those that match. Some may have a delivery. */
  readonly events: readonly RecoverableEvent[]
  /** The id of the last event that was read. Null: none. */
  readonly last: string | null
  readonly isEnd: boolean
}

/**
 * Reads the next `rowsMax` events of the range, by id: nearly the order of their instants, and the order of the primary
 * key, so that a batch reads no event of another one.
 */
export async function readRecoverableEvents(
  tx: Tx,
  tenantId: string,
  { subscriptionId, since, until }: Recovery,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<ReadEvents> {
  const rows = await inIndexOrder(tx, () =>
    tx.$queryRawUnsafe<(RecoverableEvent & { toUnitId: string | null })[]>(
      `WITH e AS MATERIALIZED (
       SELECT * FROM events e WHERE ${inRangeOfEvents} AND e.tenant_event_id > $5::uuid
       ORDER BY e.tenant_event_id LIMIT $6::int)
     SELECT e.tenant_event_id AS id, e.occurred_at AS "occurredAt", e.business_unit_id AS "businessUnitId",
       s.business_unit_id AS "toUnitId", e.type, e.trace_id AS "traceId", CASE WHEN s.id IS NOT NULL THEN e.payload END AS payload,
       NOT s.enabled OR EXISTS (
         SELECT FROM destinations t WHERE t.subscription_id = s.id AND t.breaker <> 'closed') AS held
     FROM e LEFT JOIN subscriptions s ON ${matches} ORDER BY e.tenant_event_id`,
      tenantId,
      subscriptionId,
      since,
      until,
      after,
      rowsMax,
    ),
  )
  const events = rows.filter(({ toUnitId }) => toUnitId !== null)
  return { events, last: rows.at(-1)?.id ?? null, isEnd: rows.length < rowsMax }
}
