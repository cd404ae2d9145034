import type {
  Attempt,
  Delivery,
  DeliveryStatus,
  DeliveryWithAttempts,
  ErrorKind,
} from '@payments/contracts/services/webhooks/delivery'
import type { Timings } from './outcome.ts'

export interface StoredDelivery {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly tenantEventId: string
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly traceId: string
  /** Null when the event is no longer stored. */
  readonly sourceTraceId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
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
  destinationUrl: string,
  attempts: readonly StoredAttempt[],
): DeliveryWithAttempts {
  return {
    ...presentDelivery(delivery),
    destination_url: destinationUrl,
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
    timings: attempt.timings as Timings,
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
  }
}
