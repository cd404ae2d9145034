import { credentialMask } from '@payments/contracts/services/webhooks/auth-info'
import type { AttemptRequest } from '@payments/contracts/services/webhooks/delivery'
import type { CredentialNames } from '../auth-info/credentials.ts'
import { attemptHeaders, maskedSignature } from './attempt-headers.ts'

export interface RequestFacts {
  readonly id: string
  readonly traceId: string
  readonly tenantEventId: string
  readonly destinationUrl: string
  readonly body: string
}

interface LastAttempt {
  readonly startedAt: Date
  readonly credentialNames: unknown
  readonly destinationUrl: string | null
}

/**
 * The request of the last attempt, rebuilt from the stored delivery. Only the names of its credentials are stored; each
 * name is shown with a masked value. Without an attempt, the request that the first one will send: its time and
 * signature do not exist yet.
 */
export function presentRequest(delivery: RequestFacts, last: LastAttempt | undefined): AttemptRequest {
  const {
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    ...headers
  } = attemptHeaders({
    ...delivery,
    deliveryId: delivery.id,
    timestampSeconds: Math.floor((last?.startedAt.getTime() ?? 0) / 1000),
    signature: maskedSignature,
  })
  const signed = last === undefined ? {} : { 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const credentials = last?.credentialNames as CredentialNames | null | undefined
  return {
    method: 'POST',
    url: withMaskedQuery(last?.destinationUrl ?? delivery.destinationUrl, credentials?.query ?? []),
    headers: {
      ...headers,
      ...signed,
      ...Object.fromEntries((credentials?.headers ?? []).map((name) => [name, credentialMask])),
    },
    body: delivery.body,
  }
}

/** The sender (egress/send.ts) appends credentials to the query of the destination. */
function withMaskedQuery(url: string, names: readonly string[]): string {
  const added = names.map((name) => `${encodeURIComponent(name)}=${credentialMask}`).join('&')
  if (added === '') return url
  return `${url}${new URL(url).search === '' ? '?' : '&'}${added}`
}
