import { formatTraceparent, traceIdOfUuid } from '@payments/contracts/grammar/traceparent'

/** The values of an attempt that its headers contain. */
export interface AttemptFacts {
  readonly deliveryId: string
  readonly traceId: string
  readonly tenantEventId: string
  readonly timestampSeconds: number
  readonly signature: string
}

/** Replaces a signature where an attempt is shown. */
export const maskedSignature = 'v1,…'

/** The headers of an attempt (Standard Webhooks 1.0). A dead letter shows the same headers with masked values. */
export function attemptHeaders({ deliveryId, traceId, tenantEventId, timestampSeconds, signature }: AttemptFacts) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'PaymentService-Webhooks/1',
    'Trace-ID': traceId,
    traceparent: deliveryTraceparent({ id: deliveryId, traceId }),
    'webhook-id': tenantEventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
  }
}

/**
 * The position of a delivery in its own trace, which the receiver continues: the same for each attempt, as the
 * Trace-ID. The span id is the second half of the delivery id, whose variant bits are never zero. The sampled flag is
 * set, since most receivers record no request without it.
 */
export function deliveryTraceparent({ id, traceId }: { readonly id: string; readonly traceId: string }): string {
  return formatTraceparent({ traceId: traceIdOfUuid(traceId), spanId: traceIdOfUuid(id).slice(16), isSampled: true })
}
