export interface DeliveryFacts {
  readonly traceId: string
  readonly tenantId: string
  readonly eventType: string
  readonly payload: unknown
  readonly businessUnitId: string
  readonly tenantEventId: string
}

/** What a receiver gets: exactly these members. Rendered once; the same bytes are signed and sent at every attempt. */
export function renderBody(facts: DeliveryFacts): string {
  return JSON.stringify({
    trace_id: facts.traceId,
    tenant_id: facts.tenantId,
    event_type: facts.eventType,
    metadata: { payload: facts.payload, business_unit_id: facts.businessUnitId },
    tenant_event_id: facts.tenantEventId,
  })
}
