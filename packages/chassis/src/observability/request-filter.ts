import { crc32 } from 'node:zlib'

interface EndedRequest {
  /** undefined for a request that no process of the platform sent. */
  readonly traceId: string | undefined
  readonly status: number
  readonly durationMs: number
}

/** Whether a request has a log line. */
export type RequestFilter = (request: EndedRequest) => boolean

const slowMsMin = 1_000
const hashes = 2 ** 32

/**
 * Every request that failed or took a second has a line, and of the others the share `share` (LOG_REQUEST_SHARE). The
 * trace id decides, so a request has its lines in every process or in none.
 */
export function requestFilter(share: number): RequestFilter {
  const hashMax = share * hashes
  return ({ traceId = '', status, durationMs }) => status >= 400 || durationMs >= slowMsMin || crc32(traceId) < hashMax
}
