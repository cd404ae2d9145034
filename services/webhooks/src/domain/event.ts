import type { Event } from '@payments/contracts/services/webhooks/delivery'

export interface StoredEvent {
  readonly tenantEventId: string
  readonly businessUnitId: string | null
  readonly type: string
  readonly traceId: string
  readonly occurredAt: Date
}

export function presentEvent(event: StoredEvent): Event {
  return {
    tenant_event_id: event.tenantEventId,
    event_type: event.type,
    source_trace_id: event.traceId,
    occurred_at: event.occurredAt.toISOString(),
    business_unit_id: event.businessUnitId,
  }
}
