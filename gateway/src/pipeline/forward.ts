import type { KeyObject } from 'node:crypto'
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { NextFunction, Request, Response } from 'express'
import proxy, { type ProxyOptions } from 'express-http-proxy'
import type { Principal } from '../authorization/resolver.ts'
import type { Release } from '../limits/upstream-permits.ts'
import type { Route } from '../route-table.ts'
import { type Exchange, ForwardedCall } from './request-context.ts'

/**
 * Forwards a request to its service and streams the response back, by express-http-proxy, fenced.
 *
 * Participants: the client's request and response, the service's response (`source`), the `call`, which is settled once
 * however the request ends, and one deadline over all of it.
 *
 * Guarantees. The upstream request is built here, per request, from an allow-list: nothing of one caller reaches the request
 * of another, and no header of a client is trusted. The response passes an allow-list too, so no hop-by-hop header crosses
 * either way. Bodies pass byte for byte; that of the request has been read before, so no upstream connection waits for a
 * client. A client that leaves does not end the call: the service may be carrying it out, and the audit record needs its
 * status. A service that dies in mid-body cuts the client off rather than leave it waiting. After the deadline both are ended.
 *
 * Not guaranteed: that a request was not carried out, when it is answered 503 or 504 after it had been sent.
 *
 * The fences, each for a defect seen in express-http-proxy 2.1: its `headers` option is one object that it fills with the
 * headers of every caller (never used); it asks for `Connection: close` (the header object is replaced); it parses URLs
 * leniently (the target goes as it came); its `timeout` adds a listener to a kept-alive socket per request (the deadline
 * is an AbortSignal); it aborts the call when the client leaves, and streams the client's body while it holds the upstream
 * connection (`sendProxyRequest` is ours); it copies every header of the response, Express' `set` changes Content-Type,
 * and Node sends neither Date nor Connection once they were copied and removed (it is shown none); response decorators
 * buffer, and a service that dies in mid-body leaves the client hanging (both handled at the 'pipe' event of the response).
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
  /** Calls that are not settled. */
  readonly calls: Set<ForwardedCall>
}

const self = 'gateway'
const retryAfterSeconds = 1

/**
 * Idle connections are closed before the services' own 100 s are over, so that none is used as it is being closed. The permits
 * (limits/upstream-permits.ts) limit the sockets: a limit of the agent would be a second queue, which knows no tenants.
 */
export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 60_000 })
  return { upstreams, agent, deadlineMs, calls: new Set() }
}

/** Waits until every call is settled, ends those that are not after `graceMs`, and closes the connections. */
export async function closeForwarding({ agent, calls }: Forwarding, graceMs = 2_000): Promise<void> {
  const settled = Promise.all([...calls].map((call) => new Promise<void>((resolve) => call.whenSettled(resolve))))
  const timer = setTimeout(() => agent.destroy(), graceMs)
  await settled
  clearTimeout(timer)
  agent.destroy()
}

const requestHeaders = ['accept', 'content-type', 'content-encoding', 'idempotency-key'] as const

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
  readonly route: Route
  readonly principal: Principal
  /** The whole body; null where the request has none. */
  readonly body: Buffer | null
  readonly exchange: Exchange
  /** Releases the permit of the service. Called when its response has ended or broken off, and where none comes. */
  readonly release: Release
}

/** What express-http-proxy hands from step to step. */
interface ProxyContainer {
  readonly proxy: {
    readonly requestModule: typeof import('node:http')
    readonly reqBuilder: RequestOptions
    req?: ClientRequest
    res?: IncomingMessage
  }
}

type FencedOptions = ProxyOptions & { sendProxyRequest(container: ProxyContainer): Promise<ProxyContainer> }

export function forward(
  { upstreams, agent, deadlineMs, calls }: Forwarding,
  forwarded: Forwarded,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const { route, body, exchange, release } = forwarded
  const upstream = upstreams.get(route.service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${route.service}`)
  const headers = headersFor(upstream, forwarded, request)
  const call = new ForwardedCall()
  exchange.forwarded = call
  calls.add(call)
  call.whenSettled(release)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  call.whenSettled(() => {
    clearTimeout(timer)
    calls.delete(call)
  })
  const options: FencedOptions = {
    parseReqBody: false,
    proxyReqPathResolver: () => request.url,
    proxyReqOptDecorator: ({ host, port, method }): RequestOptions => {
      return { host, port, method, headers, agent, signal: deadline.signal }
    },
    sendProxyRequest: (container) => send(container, body, (source) => receive(source, call, route, response)),
    proxyErrorHandler: (error: unknown) => {
      const problem = problemOf(error, deadline.signal)
      const told = problem instanceof Problem ? problem : commonProblems.internal_error
      call.status = told.status
      call.code = told.code
      call.settle()
      if (!response.destroyed) next(problem)
    },
  }
  proxy(upstream.url, options)(request, response, next)
}

function headersFor(upstream: Upstream, { route, principal, body, exchange }: Forwarded, request: Request) {
  const { tenantId, actor, permissions } = principal
  const assertion = signAssertion(
    { tenantId, actor, permissions, traceId: exchange.traceId },
    { issuer: self, audience: route.service, key: upstream.key },
    { method: request.method, path: request.url, operation: route.operation, body: body ?? undefined },
  )
  const headers: Record<string, string> = { [assertionHeader]: assertion }
  for (const name of requestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  if (body !== null || request.method !== 'GET') headers['content-length'] = String(body?.length ?? 0)
  return headers
}

/** Resolves, for the steps that remain, with the response to pipe; never where `receive` says that none is to be piped. */
function send(
  container: ProxyContainer,
  body: Buffer | null,
  receive: (source: IncomingMessage) => boolean,
): Promise<ProxyContainer> {
  return new Promise((resolve, reject) => {
    const { requestModule, reqBuilder } = container.proxy
    const outgoing = requestModule.request(reqBuilder)
    outgoing.on('error', reject)
    outgoing.once('response', (source) => {
      container.proxy.req = outgoing
      container.proxy.res = source
      try {
        if (receive(source)) resolve(container)
      } catch (error) {
        reject(error)
      }
    })
    outgoing.end(body)
  })
}

/**
 * Takes the response of the service. True where it is to be piped to the client; where the client has left it is read to its
 * end here. Throws where the service refused the assertion: the caller's credential is good, so the fault is ours.
 */
function receive(source: IncomingMessage, call: ForwardedCall, { service }: Route, response: Response): boolean {
  if (source.statusCode === 401) {
    source.resume()
    throw new Error(`${service} refused the assertion of the gateway`)
  }
  call.status = source.statusCode
  const { headers } = source
  source.headers = {}
  source.once('close', () => {
    if (!source.complete && !response.destroyed) {
      call.isBroken = true
      response.destroy()
    }
    call.settle()
  })
  if (response.destroyed) {
    noteProblem(source, headers, (code) => (call.code = code))
    source.resume()
    return false
  }
  response.once('pipe', () => {
    for (const name of replyHeaders) {
      const value = headers[name]
      if (value !== undefined) response.setHeader(name, value)
    }
    noteProblem(source, headers, (code) => (response.locals.code = code))
  })
  // Where the client leaves before the end, the rest is read here. The pipe pauses what it lets go of, so it goes first.
  response.once('close', () => source.unpipe(response).resume())
  return true
}

const problemBytesMax = 16 * 1024

/** The audit record names the problem that a service answered. */
function noteProblem(source: IncomingMessage, headers: IncomingHttpHeaders, note: (code: string) => void): void {
  if (headers['content-type']?.startsWith('application/problem+json') !== true) return
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= problemBytesMax) chunks.push(chunk)
  })
  // Before the pipe hears of the end and ends the response, since that is when the record is made.
  source.prependOnceListener('end', () => {
    const code = /"code":"([a-z0-9_]{1,100})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
    if (code !== undefined) note(code)
  })
}

/** These errors come before a connection stands; any other may come after the request was carried out. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function problemOf(error: unknown, deadline: AbortSignal): unknown {
  if (deadline.aborted) return new Problem(commonProblems.upstream_timeout)
  const code = String((error as { code?: unknown }).code)
  if (!/^(E[A-Z]+|EAI_[A-Z]+|HPE_[A-Z_]+)$/.test(code)) return error
  const detail = neverSent.has(code)
    ? 'The service cannot be reached at the moment'
    : 'The connection to the service broke before it answered; the request may have taken effect'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds, cause: error })
}
