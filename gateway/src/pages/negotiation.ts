import type { Request } from 'express'

const forms = ['application/problem+json', 'application/json', 'text/html']

/** Browsers send 200 bytes. The time to read the thousands of ranges of a longer header would delay other requests. */
const headerLengthMax = 500

const isRead = (header: string | undefined): boolean => (header?.length ?? 0) <= headerLengthMax

/**
 * Whether the client prefers HTML to JSON, as browsers do. A program that names no media type gets JSON, as does a
 * client whose Accept is too long.
 */
export function prefersPage(request: Request): boolean {
  return isRead(request.headers.accept) && request.accepts(forms) === 'text/html'
}

/** Whether the client accepts gzip. Of an Accept-Encoding that is too long, nothing is accepted. */
export function acceptsGzip(request: Request): boolean {
  return isRead(request.get('Accept-Encoding')) && request.acceptsEncodings('gzip', 'identity') === 'gzip'
}
