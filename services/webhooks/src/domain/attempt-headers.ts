/** The values of an attempt that its headers contain. */
export interface AttemptFacts {
  readonly traceId: string
  readonly tenantEventId: string
  readonly timestampSeconds: number
  readonly signature: string
}

/** Replaces a signature where an attempt is shown. */
export const maskedSignature = 'v1,…'

/** The headers of an attempt (Standard Webhooks 1.0). A dead letter shows the same headers with masked values. */
export function attemptHeaders({ traceId, tenantEventId, timestampSeconds, signature }: AttemptFacts) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'PaymentService-Webhooks/1',
    'Trace-ID': traceId,
    'webhook-id': tenantEventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
  }
}
