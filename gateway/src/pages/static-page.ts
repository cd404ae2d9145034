import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { acceptsGzip, prefersPage } from './negotiation.ts'

/**
 * A page that is the same for every client. The page is compressed and hashed once. All responses share its two
 * buffers, so a client that requests many pages and reads none takes no memory of the gateway.
 */
export interface StaticPage {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly cacheControl: string
  readonly identity: Encoded
  /** Undefined when compression saves less than a tenth. */
  readonly gzip: Encoded | undefined
  /** The same as JSON, for a client that does not prefer HTML. */
  readonly data: StaticPage | undefined
}

interface Encoded {
  readonly bytes: Buffer
  readonly etag: string
}

interface PageOptions {
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
  /** The path names this content, so a client needs no other request for a year. */
  readonly isImmutable?: boolean
  readonly data?: StaticPage | undefined
}

// A client revalidates its copy each time and gets 304, so an upgrade of the gateway changes all pages at once.
const revalidated = 'no-cache'
const immutable = 'public, max-age=31536000, immutable'

export function staticPage(
  content: string | Buffer,
  { type, headers = {}, isImmutable = false, data }: PageOptions,
): StaticPage {
  const bytes = Buffer.from(content)
  const compressed = gzipSync(bytes, { level: 9 })
  return {
    type,
    headers,
    cacheControl: isImmutable ? immutable : revalidated,
    identity: encode(bytes),
    gzip: compressed.length < bytes.length * 0.9 ? encode(compressed) : undefined,
    data,
  }
}

function encode(bytes: Buffer): Encoded {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
}

/** Sends the page, compressed if the client accepts gzip, or 304 if the client has the page. For GET and HEAD. */
export function sendStaticPage(page: StaticPage, request: Request, response: Response): void {
  if (page.data !== undefined) {
    response.vary('Accept')
    if (!prefersPage(request)) return sendStaticPage(page.data, request, response)
  }
  const isCompressed = page.gzip !== undefined && acceptsGzip(request)
  const { bytes, etag } = isCompressed ? (page.gzip ?? page.identity) : page.identity
  for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value)
  response.setHeader('Cache-Control', page.cacheControl)
  response.setHeader('ETag', etag)
  if (page.gzip !== undefined) response.vary('Accept-Encoding')
  if (request.fresh) {
    response.status(304).end()
    return
  }
  response.setHeader('Content-Type', page.type)
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Content-Length', bytes.length)
  if (request.method === 'HEAD') response.end()
  else response.end(bytes)
}
