import type { Permission } from '@payments/contracts/grammar/permission'
import type {
  Attempt,
  AttemptRequest,
  Delivery,
  DeliveryFilterQuery,
  DeliveryStatus,
  DeliveryWithAttempts,
  ErrorKind,
} from '@payments/contracts/services/webhooks/delivery'
import { presentRequest } from '../attempt/attempt-request.ts'
import type { Timings } from '../attempt/outcome.ts'
import type { ResponseHeaders } from '../attempt/response-headers.ts'
import { requireKnownType } from '../event/event-type.ts'
import { type HoldFacts, presentHold } from './delivery-hold.ts'

/** Identifies a delivery and the attempt that a worker is to make. */
export interface WorkItem {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly attemptCount: number
}

export interface StoredDelivery extends HoldFacts {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly businessUnitId: string
  readonly tenantEventId: string
  readonly eventType: string
  /** The URL of the last attempt, or of the subscription. */
  readonly destinationUrl: string
  readonly taskId: string | null
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
  readonly taskId?: string | undefined
  readonly eventType?: string | undefined
  readonly statusCode?: number | undefined
  readonly errorKind?: ErrorKind | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** Throws invalid_request for an unknown event type. */
export function toDeliveryFilter(
  query: DeliveryFilterQuery & { business_unit_id?: string | undefined },
): DeliveryFilter {
  requireKnownType(query.event_type, '/query')
  return {
    businessUnitId: query.business_unit_id,
    subscriptionId: query.subscription_id,
    statuses: query.status,
    tenantEventId: query.tenant_event_id,
    taskId: query.task_id,
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
  readonly destinationUrl: string | null
  readonly label: string | null
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
    held: presentHold(delivery),
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    task_id: delivery.taskId,
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
  missingPermission: Permission | null,
): DeliveryWithAttempts {
  const whole = {
    ...presentDelivery(delivery),
    request: body === null ? null : presentRequest({ ...delivery, body }, attempts.at(-1)),
    attempts: attempts.map(presentAttempt),
    missing_permission: missingPermission,
  }
  return missingPermission === null ? whole : withoutPayload(whole)
}

/** Responses of receivers may repeat the payload. */
export function withoutPayload<
  D extends { readonly request: AttemptRequest | null; readonly attempts: readonly Attempt[] },
>(delivery: D): D & { attempts: Attempt[] } {
  const { request, attempts } = delivery
  return {
    ...delivery,
    request: request === null ? null : { ...request, body: null },
    attempts: attempts.map((attempt) => ({ ...attempt, response_body: null, response_headers: null })),
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
    destination_url: attempt.destinationUrl,
    label: attempt.label,
    response_body: attempt.responseBody === null ? null : Buffer.from(attempt.responseBody).toString('utf8'),
    response_truncated: attempt.responseTruncated,
    response_headers: attempt.responseHeaders as ResponseHeaders | null,
    timings: attempt.timings as Timings,
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
  }
}
