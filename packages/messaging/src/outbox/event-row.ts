import sql, { empty, raw, type Sql } from 'sql-template-tag'

/** A relay takes an event after its commit, and no other one claims it meanwhile. */
export interface EventLease {
  readonly leaseMs: number
  /** Of `performance.now()`. The lease begins later. */
  readonly grantedAt: number
  /** The check of the broker that preceded the lease (retained-events.ts). */
  readonly check: number
}

/** A valid event before its INSERT. */
export interface EventRow {
  /** UUID v7, which receivers see as `tenant_event_id`. */
  readonly id: string
  readonly type: string
  readonly tenantId: string
  readonly businessUnitId: string | null
  readonly traceId: string
  /** JSON text. */
  readonly payload: string
  readonly traceparent: string | null
  /** Undefined: the relay of this process does not take the event, and the INSERT writes no lease. */
  readonly lease: EventLease | undefined
}

/** Columns that the INSERT of an event returns. */
export interface WrittenEvent {
  readonly lease: string | null
  readonly occurred_at: string
}

/** The columns of a row with which the relay publishes an event, its instant in ISO 8601, and marks it. */
export const writtenColumns = `leased_until::text AS lease,
  to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS occurred_at`

/**
 * A CTE with one row. A statement that joins it commits without waiting for the disk (`synchronous_commit`), alone: the
 * setting ends with its transaction. For claims and marks only; README.md has the proof.
 */
export const withoutFlush = `without_flush AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`

/**
 * The INSERT of an event, alone or as a part of a larger statement. With `from`, it inserts the event if that part has
 * a row, and nothing if it has none. Returns a WrittenEvent. The lease begins when the row is written.
 */
export function insertEvent(event: EventRow, from?: Sql): Sql {
  const { id, type, tenantId, businessUnitId, traceId, payload, traceparent, lease } = event
  return sql`
    INSERT INTO outbox_events (id, type, tenant_id, business_unit_id, trace_id, payload, traceparent, leased_until)
    SELECT ${id}::uuid, ${type}::text, ${tenantId}::uuid, ${businessUnitId}::uuid, ${traceId}::uuid, ${payload}::jsonb,
      ${traceparent}::text, clock_timestamp() + ${lease?.leaseMs ?? null}::int * interval '1 millisecond'
    ${from === undefined ? empty : sql`FROM ${from}`}
    RETURNING ${raw(writtenColumns)}`
}
