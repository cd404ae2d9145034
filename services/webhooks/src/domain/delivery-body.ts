/** What is the same for every delivery of an event. */
export interface EventFacts {
  readonly tenantId: string
  readonly eventType: string
  readonly tenantEventId: string
}

/**
 * What a receiver gets, exactly these members: `opening`, the delivery's trace id, `afterTrace`, the payload, `beforeUnit`, the
 * business unit's id, `closing`. In pieces, because a payload is written once for all deliveries of its event; the statement that
 * stores them puts each together, as `bodyIn` does, and the same bytes are signed and sent at every attempt.
 */
export interface BodyFrame {
  readonly opening: string
  readonly afterTrace: string
  readonly beforeUnit: string
  readonly closing: string
}

/** Of one delivery; `payload` as JSON. */
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
