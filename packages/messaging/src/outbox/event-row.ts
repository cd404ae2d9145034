/** A relay accepts an event that is not committed yet. */
export interface Admission {
  readonly leaseMs: number
  /** Of `performance.now()`. The lease begins later. */
  readonly admittedAt: number
  /** The check of the broker that preceded the admission (retained-events.ts). */
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
  readonly admission: Admission | undefined
}

/** Columns that the INSERT of an event returns. */
export interface WrittenEvent {
  readonly lease: string | null
  readonly occurred_at: string
}

/** ISO 8601, as in the message of the event. */
const occurredAt = `to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS occurred_at`

/** The columns of a row with which the relay publishes an event and marks it. */
export const writtenColumns = `leased_until::text AS lease, ${occurredAt}`

export interface InsertOptions {
  /** A CTE or a table. The event is inserted once if it has rows, and not if it has none. */
  readonly from?: string
  /** The number of the first of the parameters of `eventValues`. */
  readonly firstParameter?: number
}

/**
 * The INSERT of an event, also as a CTE of a larger statement. Returns a WrittenEvent. The lease begins when the row is
 * written.
 */
export function insertEvent({ from, firstParameter = 1 }: InsertOptions = {}): string {
  const parameter = (index: number) => `$${firstParameter + index}`
  const [id, type, tenantId, businessUnitId, traceId, payload, traceparent, leaseMs] = [0, 1, 2, 3, 4, 5, 6, 7].map(
    parameter,
  )
  const condition = from === undefined ? '' : `WHERE EXISTS (SELECT FROM ${from})`
  return `
    INSERT INTO outbox_events (id, type, tenant_id, business_unit_id, trace_id, payload, traceparent, leased_until)
    SELECT ${id}::uuid, ${type}::text, ${tenantId}::uuid, ${businessUnitId}::uuid, ${traceId}::uuid, ${payload}::jsonb,
      ${traceparent}::text, clock_timestamp() + ${leaseMs}::int * interval '1 millisecond' ${condition}
    RETURNING ${writtenColumns}`
}

/** The values of the parameters of `insertEvent`. */
export function eventValues(event: EventRow): readonly unknown[] {
  const { id, type, tenantId, businessUnitId, traceId, payload, traceparent, admission } = event
  return [id, type, tenantId, businessUnitId, traceId, payload, traceparent, admission?.leaseMs ?? null]
}
