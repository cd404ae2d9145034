import { createHttpClient, type HttpClientOptions, noTimestamps } from '@payments/egress/http-client'
import type { ReceivedResponse, Timestamps } from '@payments/egress/http-request'
import { attemptLimits } from '../domain/attempt/attempt-limits.ts'
import { type AttemptOutcome, classifyStatus, failedOutcome, type Timings } from '../domain/attempt/outcome.ts'
import { selectHeaders } from '../domain/attempt/response-headers.ts'
import { retryAfterMs } from '../domain/attempt/retry-after.ts'
import { maskCredentials, type SentCredentials } from './mask-credentials.ts'

/**
 * Sends one attempt: posts the body and returns the outcome. An attempt takes at most 3 s to connect and 10 s to the
 * last byte, and reads at most 16 KiB of the response. packages/egress sends, checks addresses and states what is
 * guaranteed. A local failure rejects with LocalFailure.
 */
export type Send = (request: SendRequest) => Promise<AttemptOutcome>

export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Credentials, added to the query of the URL. */
  readonly query?: string
  /** The credentials of the request, which the outcome must not contain. */
  readonly credentials?: SentCredentials | null
  /** `performance.now()` at which the attempt ends, when that is before its own limit. */
  readonly deadlineAt?: number
}

export interface SenderOptions extends HttpClientOptions {
  readonly stop: AbortSignal
  readonly limits?: Partial<typeof attemptLimits>
}

export function createSender(options: SenderOptions): { send: Send; close: () => void } {
  const { connectTimeoutMs, totalTimeoutMs, responseBytesMax } = { ...attemptLimits, ...options.limits }
  const client = createHttpClient(options)
  return {
    send: async (request) => {
      const { url, headers, body, query, deadlineAt = Number.POSITIVE_INFINITY } = request
      const startedAt = new Date()
      const startMs = performance.now()
      const timestamps = noTimestamps()
      const response = await client.request(
        {
          method: 'POST',
          url,
          headers,
          body,
          query,
          connectTimeoutMs,
          responseBytesMax,
          deadlineAt: Math.min(startMs + totalTimeoutMs, deadlineAt),
        },
        timestamps,
      )
      const durationMs = Math.round(performance.now() - startMs)
      const timings = toTimings(startMs, timestamps)
      if (!('failure' in response)) return toOutcome(request, response, { startedAt, durationMs, timings })
      const { status: statusCode, failure: errorKind, detail: errorDetail } = response
      return failedOutcome({ startedAt, durationMs, statusCode, errorKind, errorDetail, timings })
    },
    close: client.close,
  }
}

function toTimings(startMs: number, timestamps: Timestamps): Timings {
  const sinceStart = (at: number | null) => (at === null ? null : Math.round(at - startMs))
  return {
    dns_ms: sinceStart(timestamps.resolvedAt),
    connect_ms: sinceStart(timestamps.connectedAt),
    tls_ms: sinceStart(timestamps.securedAt),
    first_byte_ms: sinceStart(timestamps.firstByteAt),
  }
}

/** Field by field: a spread takes ten times as long. */
function toOutcome(
  { query = '', credentials = null }: SendRequest,
  { status, body, truncated, headers, retryAfter }: Exclude<ReceivedResponse, { readonly failure: unknown }>,
  { startedAt, durationMs, timings }: Pick<AttemptOutcome, 'startedAt' | 'durationMs' | 'timings'>,
): Promise<AttemptOutcome> {
  const { errorKind, errorDetail } = classifyStatus(status)
  const retryMs = retryAfterMs(status, retryAfter, Date.now())
  return maskCredentials(credentials, (masking) => ({
    startedAt,
    durationMs,
    statusCode: status,
    errorKind,
    errorDetail,
    responseBody: masking.bytes(body, truncated),
    responseTruncated: truncated,
    responseHeaders: selectHeaders(headers, masking, query !== ''),
    retryAfterMs: retryMs,
    credentialNames: null,
    timings,
  }))
}
