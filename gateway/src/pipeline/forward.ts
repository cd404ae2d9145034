import type { KeyObject } from 'node:crypto'
import { Agent, type IncomingMessage, type RequestOptions } from 'node:http'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { NextFunction, Request, Response } from 'express'
import proxy from 'express-http-proxy'
import type { Judgement } from '../authority.ts'
import { type Exchange, setStandingHeaders } from '../exchange.ts'
import type { Release } from '../limits/upstream-permits.ts'

/**
 * Forwards a request to its service and streams the answer back, by express-http-proxy, fenced.
 *
 * Its people: the client's request and response, the service's (`source`), and one deadline over all of it.
 *
 * Guarantees. What goes up is made here, per request, from an allow-list: nothing of one caller can reach the request of
 * another, and no header of a client is trusted. What comes down passes an allow-list too, so no hop-by-hop header
 * crosses either way. Bodies pass byte for byte, one chunk at a time. Whichever side fails, the other is ended at once:
 * a client that leaves aborts the service's request, a service that dies in mid-body cuts the client off rather than
 * leave it waiting, and after the deadline both are ended.
 *
 * Not promised: that a request was not carried out, when it is answered 503 or 504 after it had been sent.
 *
 * The fences, each for a defect seen in express-http-proxy 2.1: its `headers` option is one object that it fills with the
 * headers of every caller (never used); it asks for `Connection: close` (the header object is replaced); it parses URLs
 * leniently (the target goes as it came); its `timeout` adds a listener to a kept-alive socket per request (the deadline
 * is an AbortSignal); once the answer is out it goes on waiting for the rest of the request, though the client may have
 * left (aborted); response decorators buffer, and a service that dies in mid-body leaves the client hanging (both
 * answered by the 'pipe' event of the response).
 */
export interface Upstream {
  readonly url: string
  /** Signs the assertions for this service. */
  readonly key: KeyObject
}

export interface Forwarding {
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly agent: Agent
  readonly deadlineMs: number
}

const self = 'gateway'
const retryAfterSeconds = 1

/**
 * Idle connections are closed before the services' own 100 s are over, so that none is used as it is being closed. The permits
 * (limits/upstream-permits.ts) limit the sockets: a limit of the agent would be a second queue, which knows no tenants.
 */
export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 60_000 })
  return { upstreams, agent, deadlineMs }
}

const requestHeaders = ['accept', 'content-type', 'content-encoding', 'content-length', 'idempotency-key'] as const

const replyHeaders = [
  'cache-control',
  'content-disposition',
  'content-length',
  'content-type',
  'idempotent-replayed',
  'location',
  'retry-after',
  'set-cookie',
] as const

export interface Forwarded {
  readonly service: string
  readonly judgement: Judgement
  /** null where it is still in the request, to be streamed. */
  readonly body: Buffer | null
  readonly exchange: Exchange
  /** Releases the permit of the service. Called when its response has ended or broken off, and where none comes. */
  readonly release: Release
}

export function forward(
  { upstreams, agent, deadlineMs }: Forwarding,
  forwarded: Forwarded,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const { service, body, exchange, release } = forwarded
  const upstream = upstreams.get(service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${service}`)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  response.once('close', () => {
    clearTimeout(timer)
    if (!request.complete) deadline.abort()
  })
  response.once('pipe', (source: IncomingMessage) => {
    source.once('close', release)
    if (source.statusCode === 401) next(refusedByService(service, source, response, exchange))
    else passReply(source, response, exchange)
  })
  const headers = headersFor(upstream, forwarded, request)
  const handle = proxy(upstream.url, {
    parseReqBody: false,
    proxyReqPathResolver: () => request.url,
    proxyReqOptDecorator: ({ host, port, method }): RequestOptions => {
      return { host, port, method, headers, agent, signal: deadline.signal }
    },
    ...(body === null ? {} : { proxyReqBodyDecorator: () => body }),
    proxyErrorHandler: (error: unknown) => {
      release()
      if (!response.destroyed) next(problemOf(error, request, deadline.signal))
    },
  })
  handle(request, response, next)
}

function headersFor(upstream: Upstream, { service, judgement, body, exchange }: Forwarded, request: Request) {
  const { tenantId, actor, permissions } = judgement
  const assertion = signAssertion(
    { tenantId, actor, permissions, traceId: exchange.traceId },
    { issuer: self, audience: service, key: upstream.key },
    { method: request.method, path: request.url },
  )
  const headers: Record<string, string> = { [assertionHeader]: assertion }
  for (const name of requestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const hasBody = body !== null || headers['content-length'] !== undefined
  if (!hasBody && request.method !== 'GET') headers['content-length'] = '0'
  return headers
}

/** Called as the answer begins to flow, before its first byte: its headers are ours to choose. */
function passReply(source: IncomingMessage, response: Response, exchange: Exchange): void {
  startHeadersAnew(response, exchange)
  for (const name of replyHeaders) {
    const value = source.headers[name]
    if (value !== undefined) response.setHeader(name, value)
  }
  source.once('close', () => {
    if (!source.complete) response.destroy()
  })
  noteProblem(source, response)
}

/** The caller's credential has been found good: a service that refuses the assertion is our fault, not theirs. */
function refusedByService(service: string, source: IncomingMessage, response: Response, exchange: Exchange): Error {
  source.unpipe(response)
  source.resume()
  startHeadersAnew(response, exchange)
  return new Error(`${service} refused the assertion of the gateway`)
}

function startHeadersAnew(response: Response, exchange: Exchange): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  setStandingHeaders(response, exchange)
}

const problemBytesMax = 16 * 1024

/** The audit record names the problem that a service answered. */
function noteProblem(source: IncomingMessage, response: Response): void {
  if (source.headers['content-type']?.startsWith('application/problem+json') !== true) return
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= problemBytesMax) chunks.push(chunk)
  })
  // Before the pipe hears of the end and ends the answer, since that is when the record is made.
  source.prependOnceListener('end', () => {
    const code = /"code":"([a-z0-9_]{1,100})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
    if (code !== undefined) response.locals.code = code
  })
}

/** These errors come before a connection stands; any other may come after the request was carried out. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function problemOf(error: unknown, request: Request, deadline: AbortSignal): unknown {
  if (deadline.aborted) {
    return new Problem(request.complete ? commonProblems.upstream_timeout : commonProblems.request_timeout)
  }
  const code = String((error as { code?: unknown }).code)
  if (!/^(E[A-Z]+|EAI_[A-Z]+|HPE_[A-Z_]+)$/.test(code)) return error
  const detail = neverSent.has(code)
    ? 'The service cannot be reached at the moment'
    : 'The connection to the service broke before it answered; the request may have taken effect'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds, cause: error })
}
