import { crc32 } from 'node:zlib'

interface EndedRequest {
  /** undefined for a request that no process of the platform sent. */
  readonly traceId: string | undefined
  readonly status: number
  readonly durationMs: number
  /** After a restore, the lines of these endpoints show what has changed since the backup (docs/backup.md). */
  readonly changesAuthorization?: boolean | undefined
  /** The operator who sent the request, by payctl. */
  readonly operator?: string | undefined
}

/** Whether a request has a log line. */
export type RequestFilter = (request: EndedRequest) => boolean

const slowMsMin = 1_000
const hashes = 2 ** 32

/**
 * Every request that failed, took a second, changes authorization or is a call of an operator has a line, and of the
 * others the share `share` (LOG_REQUEST_SHARE). The trace id decides, so a request has its lines in every process or in
 * none.
 */
export function requestFilter(share: number): RequestFilter {
  const hashMax = share * hashes
  return ({ traceId = '', status, durationMs, changesAuthorization = false, operator }) =>
    status >= 400 ||
    durationMs >= slowMsMin ||
    changesAuthorization ||
    operator !== undefined ||
    crc32(traceId) < hashMax
}
