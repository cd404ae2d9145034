/**
 * The claim of a delivery for one attempt, as parts of a statement: as it is stored (fan-out.ts), by its message (delivery-steps.ts),
 * or from the head of its line (line.ts). All end in rows of `Claimed`.
 */
export interface Claimed extends Judged {
  readonly schedulePosition: number
  /** As text: the same bytes, and they come through the driver at half the cost. */
  readonly body: string
  readonly tenantEventId: string
  readonly traceId: string
  readonly eventType: string
}

/** What the statement finds out about where a delivery goes, and makes of it. */
export interface Judged {
  readonly status: 'delivering' | 'held' | 'discarded'
  /** The breaker of the destination is half open, and this is the delivery it is tried with. */
  readonly probe: boolean
  readonly destinationUrl: string
  readonly secretSealed: Uint8Array | null
  /** The secret before the last rotation, while its grace lasts. */
  readonly previousSecretSealed: Uint8Array | null
  readonly authInfoId: string | null
  readonly authInfoVersion: number | null
  readonly configSealed: Uint8Array | null
}

/**
 * That the id of `d` is one of a query's. Said beside the join with it: what came since the tables were last analyzed the planner takes
 * for nothing, and would read all of a range of ids for each of the few that are meant.
 */
export const among = (ids: string) => `d.id = ANY (ARRAY(${ids}))`

/** What a delivery needs of its subscription `s`, the destination `t` and the auth info `a`, and what is to become of it. */
export const judgedSql = (probes: string) => `
  s.destination_url, s.secret_sealed,
  CASE WHEN s.previous_secret_expires_at > now() THEN s.previous_secret_sealed END AS previous_secret_sealed,
  s.webhook_auth_info_id AS auth_info_id, a.version AS auth_info_version, a.config_sealed,
  CASE WHEN s.deleted_at IS NOT NULL THEN 'discarded'
    WHEN s.enabled AND (coalesce(t.breaker, 'closed') = 'closed' OR ${probes}) THEN 'delivering'
    ELSE 'held' END AS verdict,
  coalesce(t.breaker = 'half_open' AND ${probes}, false) AS probe`

/** The tables it stands in, of the subscription `id`. */
export const judgedFromSql = (id: string) => `
  JOIN subscriptions s ON s.id = ${id} LEFT JOIN destinations t ON t.subscription_id = s.id
  LEFT JOIN auth_infos a ON a.id = s.webhook_auth_info_id AND a.tenant_id = s.tenant_id`

/** The columns that the claim of `d` by a row of `judged` sets, for `lease` milliseconds. */
export const claimedSql = (lease: string, nextAttemptAt: string) => `
  queued = false, waiting = verdict = 'held', updated_at = now(), status = verdict::"DeliveryStatus",
  sweep_at = CASE WHEN verdict = 'delivering' THEN now() + ${lease} * interval '1 millisecond' END,
  next_attempt_at = CASE WHEN verdict = 'delivering' THEN ${nextAttemptAt} END`

/** `Judged`, of a row of `judged`. */
export const judgedRowSql = `
  verdict AS status, destination_url AS "destinationUrl", secret_sealed AS "secretSealed",
  previous_secret_sealed AS "previousSecretSealed", auth_info_id AS "authInfoId", auth_info_version AS "authInfoVersion",
  config_sealed AS "configSealed", probe`

/** `Claimed`, and of which attempt of which delivery. */
export const claimedRowSql = `
  d.id, d.tenant_id AS "tenantId", d.subscription_id AS "subscriptionId", d.attempt_count AS "attemptCount",
  d.schedule_position AS "schedulePosition", convert_from(d.body, 'UTF8') AS body, d.tenant_event_id AS "tenantEventId",
  d.trace_id AS "traceId", d.event_type AS "eventType", ${judgedRowSql}`
