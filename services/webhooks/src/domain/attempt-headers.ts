/** What an attempt is made of, beside the body. */
export interface AttemptFacts {
  readonly traceId: string
  readonly tenantEventId: string
  readonly timestampSeconds: number
  readonly signature: string
}

/** What is shown in the place of a signature. */
export const maskedSignature = 'v1,…'

/** The headers of an attempt, by Standard Webhooks 1.0; a dead letter shows the same ones, masked. */
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
