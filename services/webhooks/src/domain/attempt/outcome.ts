import type { ErrorKind } from '@payments/contracts/services/webhooks/delivery'
import type { CredentialNames } from '../auth-info/credentials.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** Milliseconds from the start of the attempt. Null: the step was not reached or not needed. */
export interface Timings {
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
}

export interface AttemptOutcome {
  readonly startedAt: Date
  readonly durationMs: number
  readonly statusCode: number | null
  /** Null is success. */
  readonly errorKind: ErrorKind | null
  readonly errorDetail: string | null
  readonly responseBody: Uint8Array | null
  readonly responseTruncated: boolean
  readonly responseHeaders: ResponseHeaders | null
  readonly timings: Timings
  /** The wait that the receiver requests with `Retry-After`. */
  readonly retryAfterMs: number | null
  readonly credentialNames: CredentialNames | null
}

/** An attempt without a response that is stored. */
export function failedOutcome(
  failure: Pick<AttemptOutcome, 'startedAt' | 'durationMs' | 'statusCode' | 'errorKind' | 'errorDetail' | 'timings'>,
): AttemptOutcome {
  return {
    ...failure,
    responseBody: null,
    responseTruncated: false,
    responseHeaders: null,
    retryAfterMs: null,
    credentialNames: null,
  }
}

/** Only 2xx is success. 410 means that the endpoint was removed for good. */
export function classifyStatus(status: number): Pick<AttemptOutcome, 'errorKind' | 'errorDetail'> {
  if (status >= 200 && status < 300) return { errorKind: null, errorDetail: null }
  const errorKind = status === 410 ? 'gone' : status >= 300 && status < 400 ? 'redirect' : 'status'
  return { errorKind, errorDetail: `responded with ${status}` }
}

/** One line for operators, e.g. `status: responded with 500`. */
export function errorSummary(outcome: AttemptOutcome): string | null {
  return outcome.errorKind === null ? null : `${outcome.errorKind}: ${outcome.errorDetail}`
}
