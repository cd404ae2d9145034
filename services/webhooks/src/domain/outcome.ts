import type { ErrorKind } from '@payments/contracts/webhooks-delivery'
import type { CredentialNames } from './credentials.ts'

/** Milliseconds from the start; null where a step was not reached or not needed. */
export interface Timings {
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
}

/** What came of one attempt. */
export interface Outcome {
  readonly startedAt: Date
  readonly durationMs: number
  readonly statusCode: number | null
  /** Null is success. */
  readonly errorKind: ErrorKind | null
  readonly errorDetail: string | null
  readonly responseBody: Uint8Array | null
  readonly responseTruncated: boolean
  readonly timings: Timings
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | null
  /** What the auth info added to the request; null where nothing was added. */
  readonly credentialNames: CredentialNames | null
}

/** Only 2xx counts as success. 410 says that nobody will ever be there again. */
export function judgeStatus(status: number): Pick<Outcome, 'errorKind' | 'errorDetail'> {
  if (status >= 200 && status < 300) return { errorKind: null, errorDetail: null }
  const errorKind = status === 410 ? 'gone' : status >= 300 && status < 400 ? 'redirect' : 'status'
  return { errorKind, errorDetail: `answered ${status}` }
}

/** One line for operators, e.g. `status: answered 500`. */
export function errorLine(outcome: Outcome): string | null {
  return outcome.errorKind === null ? null : `${outcome.errorKind}: ${outcome.errorDetail}`
}
