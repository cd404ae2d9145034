/** The values of the delivery and of its event that the body contains. */
export interface BodyFacts {
  readonly tenantId: string
  readonly eventType: string
  readonly tenantEventId: string
  readonly traceId: string
  readonly businessUnitId: string
  /** JSON text. */
  readonly payload: string
}

/**
 * The body that a receiver gets. Fan-out renders it for the first attempt. `webhooks_body` of the database renders the
 * same bytes for a row that enters a backlog or is claimed again. So both change together, and only with a column that
 * says which form the body of a delivery has.
 */
export function renderBody({
  tenantId,
  eventType,
  tenantEventId,
  traceId,
  businessUnitId,
  payload,
}: BodyFacts): string {
  return `{"trace_id":"${traceId}","tenant_id":"${tenantId}","event_type":${JSON.stringify(eventType)},"metadata":{"payload":${payload},"business_unit_id":"${businessUnitId}"},"tenant_event_id":"${tenantEventId}"}`
}
