import { claimLeaseMs } from '../../domain/attempt/attempt-limits.ts'

/**
 * The claim of a delivery for one attempt, as parts of a statement. A delivery is claimed when it is stored
 * (fan-out.ts), by its message (delivery-state.ts), or from the backlog (claim-from-backlogs.ts). Every claim returns
 * rows of `Claimed`.
 */
export interface Claimed extends DeliveryTarget {
  readonly schedulePosition: number
  /** As text: the same bytes, at half the cost in the driver. Null: the event has expired. */
  readonly body: string | null
  readonly tenantEventId: string
  readonly traceId: string
  /** The span that created the delivery. Null while tracing is off. */
  readonly traceparent: string | null
  readonly eventType: string
}

/** The receiver of a delivery and the disposition that the claim decided. */
export interface DeliveryTarget {
  readonly disposition: 'delivering' | 'held' | 'discarded'
  /** Whether the circuit breaker is half open and this delivery probes the destination. */
  readonly probe: boolean
  readonly destinationUrl: string
  /** Display name of the subscription. */
  readonly label: string | null
  readonly secretEncrypted: Uint8Array | null
  /** The secret before the last rotation, during its grace period. */
  readonly previousSecretEncrypted: Uint8Array | null
  readonly authInfoId: string | null
  readonly authInfoVersion: number | null
  readonly configEncrypted: Uint8Array | null
}

/**
 * That the id of `d` is among the ids of a query. The condition stands beside the join: without it, the planner reads
 * a whole range of ids, because it takes rows written since the last ANALYZE for none.
 */
export const among = (ids: string) => `d.id = ANY (ARRAY(${ids}))`

/**
 * The columns that a delivery needs from its subscription `s`, destination `t` and auth info `a`, and its
 * disposition.
 */
export const targetSql = (probes: string) => `
  s.destination_url, s.label, s.secret_encrypted,
  CASE WHEN s.previous_secret_expires_at > now() THEN s.previous_secret_encrypted END AS previous_secret_encrypted,
  s.webhook_auth_info_id AS auth_info_id, a.version AS auth_info_version, a.config_encrypted,
  CASE WHEN s.deleted_at IS NOT NULL THEN 'discarded'
    WHEN s.enabled AND (coalesce(t.breaker, 'closed') = 'closed' OR ${probes}) THEN 'delivering'
    ELSE 'held' END AS disposition,
  coalesce(t.breaker = 'half_open' AND ${probes}, false) AS probe`

/** The tables of `targetSql`, for the subscription `id`. */
export const targetFromSql = (id: string) => `
  JOIN subscriptions s ON s.id = ${id} LEFT JOIN destinations t ON t.subscription_id = s.id
  LEFT JOIN auth_infos a ON a.id = s.webhook_auth_info_id AND a.tenant_id = s.tenant_id`

/** The columns that a claim of `d` by a row of `targets` sets. */
export const claimedSql = (nextAttemptAt: string) => `
  published = false, backlogged = disposition = 'held', updated_at = now(), status = disposition::"DeliveryStatus",
  sweep_at = CASE WHEN disposition = 'delivering' THEN now() + ${claimLeaseMs} * interval '1 millisecond' END,
  next_attempt_at = CASE WHEN disposition = 'delivering' THEN ${nextAttemptAt} END`

/** `DeliveryTarget`, from a row of `targets`. */
export const targetRowSql = `
  disposition, destination_url AS "destinationUrl", label, secret_encrypted AS "secretEncrypted",
  previous_secret_encrypted AS "previousSecretEncrypted", auth_info_id AS "authInfoId", auth_info_version AS "authInfoVersion",
  config_encrypted AS "configEncrypted", probe`

/** `Claimed`, with the delivery and its attempt. */
export const claimedRowSql = `
  d.id, d.tenant_id AS "tenantId", d.subscription_id AS "subscriptionId", d.attempt_count AS "attemptCount",
  d.schedule_position AS "schedulePosition", convert_from(d.body, 'UTF8') AS body, d.tenant_event_id AS "tenantEventId",
  d.trace_id AS "traceId", d.traceparent, d.event_type AS "eventType", ${targetRowSql}`
