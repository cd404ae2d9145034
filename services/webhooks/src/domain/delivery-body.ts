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
 * The body that a receiver gets. Fan-out renders it for the first attempt; for further ones the trigger
 * `deliveries_store_body` renders the same bytes from the rows, and stores them. So both change together, and only with
 * a column that says which form the body of a delivery has.
 */
export function bodyOf({ tenantId, eventType, tenantEventId, traceId, businessUnitId, payload }: BodyFacts): string {
  return `{"trace_id":"${traceId}","tenant_id":"${tenantId}","event_type":${JSON.stringify(eventType)},"metadata":{"payload":${payload},"business_unit_id":"${businessUnitId}"},"tenant_event_id":"${tenantEventId}"}`
}
