import type { Event, EventFilterQuery } from '@payments/contracts/services/webhooks/delivery'
import { requireKnownType } from './event-type.ts'

export interface StoredEvent {
  readonly tenantEventId: string
  readonly businessUnitId: string | null
  readonly type: string
  readonly traceId: string
  readonly occurredAt: Date
  readonly resourceId: string | null
}

/** Conditions on events. All of them must hold. */
export interface EventFilter {
  readonly businessUnitId?: string | undefined
  /** Also the events of the tenant as a whole, which reach every business unit. */
  readonly includesTenant?: boolean
  readonly traceId?: string | undefined
  readonly resourceId?: string | undefined
  readonly eventType?: string | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** Throws invalid_request for an unknown event type. */
export function toEventFilter(query: EventFilterQuery & { business_unit_id?: string | undefined }): EventFilter {
  requireKnownType(query.event_type, '/query')
  return {
    businessUnitId: query.business_unit_id,
    traceId: query.trace_id,
    resourceId: query.resource_id,
    eventType: query.event_type,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  }
}

export function presentEvent(event: StoredEvent): Event {
  return {
    tenant_event_id: event.tenantEventId,
    event_type: event.type,
    source_trace_id: event.traceId,
    occurred_at: event.occurredAt.toISOString(),
    business_unit_id: event.businessUnitId,
    resource_id: event.resourceId,
  }
}
