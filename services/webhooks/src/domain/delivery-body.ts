/** The values that all deliveries of an event share. */
export interface EventFacts {
  readonly tenantId: string
  readonly eventType: string
  readonly tenantEventId: string
}

/**
 * The body that a receiver gets: `opening`, the trace id of the delivery, `afterTrace`, the payload, `beforeUnit`,
 * the id of the business unit, `closing`. The frame is separate because the payload is written once for all
 * deliveries of its event. The statement that stores the deliveries joins the parts as `bodyIn` does; every attempt
 * signs and sends these bytes.
 */
export interface BodyFrame {
  readonly opening: string
  readonly afterTrace: string
  readonly beforeUnit: string
  readonly closing: string
}

/** The body of one delivery. `payload`: JSON text. */
export function bodyIn(
  { opening, afterTrace, beforeUnit, closing }: BodyFrame,
  { traceId, payload, businessUnitId }: { traceId: string; payload: string; businessUnitId: string },
): string {
  return opening + traceId + afterTrace + payload + beforeUnit + businessUnitId + closing
}

export function bodyFrame({ tenantId, eventType, tenantEventId }: EventFacts): BodyFrame {
  return {
    opening: '{"trace_id":"',
    afterTrace: `","tenant_id":${JSON.stringify(tenantId)},"event_type":${JSON.stringify(eventType)},"metadata":{"payload":`,
    beforeUnit: ',"business_unit_id":"',
    closing: `"},"tenant_event_id":${JSON.stringify(tenantEventId)}}`,
  }
}
