import type {
  Attempt,
  Delivery,
  DeliveryFilterQuery,
  DeliveryStatus,
  DeliveryWithAttempts,
  ErrorKind,
} from '@payments/contracts/services/webhooks/delivery'
import { presentRequest } from './attempt-request.ts'
import type { Timings } from './outcome.ts'
import type { ResponseHeaders } from './response-headers.ts'

export interface StoredDelivery {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly tenantEventId: string
  readonly eventType: string
  /** That of the subscription today. */
  readonly destinationUrl: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly traceId: string
  /** Null when the event is no longer stored. */
  readonly sourceTraceId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Conditions on deliveries. All of them must hold. */
export interface DeliveryFilter {
  readonly businessUnitId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly statuses?: readonly DeliveryStatus[] | undefined
  readonly tenantEventId?: string | undefined
  readonly eventType?: string | undefined
  readonly statusCode?: number | undefined
  readonly errorKind?: ErrorKind | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

export function deliveryFilterOf(
  query: DeliveryFilterQuery & { business_unit_id?: string | undefined },
): DeliveryFilter {
  return {
    businessUnitId: query.business_unit_id,
    subscriptionId: query.subscription_id,
    statuses: query.status,
    tenantEventId: query.tenant_event_id,
    eventType: query.event_type,
    statusCode: query.status_code,
    errorKind: query.error_kind,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  }
}

export interface StoredAttempt {
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly statusCode: number | null
  readonly errorKind: string | null
  readonly errorDetail: string | null
  readonly responseBody: Uint8Array | null
  readonly responseTruncated: boolean
  readonly responseHeaders: unknown
  readonly timings: unknown
  readonly credentialNames: unknown
  readonly nextAttemptAt: Date | null
}

export function presentDelivery(delivery: StoredDelivery): Delivery {
  return {
    id: delivery.id,
    subscription_id: delivery.subscriptionId,
    business_unit_id: delivery.businessUnitId,
    tenant_event_id: delivery.tenantEventId,
    event_type: delivery.eventType,
    destination_url: delivery.destinationUrl,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    trace_id: delivery.traceId,
    source_trace_id: delivery.sourceTraceId,
    created_at: delivery.createdAt.toISOString(),
    updated_at: delivery.updatedAt.toISOString(),
  }
}

export function presentDeliveryWithAttempts(
  delivery: StoredDelivery,
  body: string | null,
  attempts: readonly StoredAttempt[],
): DeliveryWithAttempts {
  return {
    ...presentDelivery(delivery),
    request: body === null ? null : presentRequest({ ...delivery, body }, attempts.at(-1)),
    attempts: attempts.map(presentAttempt),
  }
}

export function presentAttempt(attempt: StoredAttempt): Attempt {
  return {
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error_kind: attempt.errorKind as ErrorKind | null,
    error_detail: attempt.errorDetail,
    response_body: attempt.responseBody === null ? null : Buffer.from(attempt.responseBody).toString('utf8'),
    response_truncated: attempt.responseTruncated,
    response_headers: attempt.responseHeaders as ResponseHeaders | null,
    timings: attempt.timings as Timings,
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
  }
}
