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
import type { Release } from '../limits/upstream-permits.ts'
import { type AuthenticatedContext, ForwardedCall } from './request-context.ts'

/**
 * **What it does.** Forwards a request to its service and streams the response back. The proxy is express-http-proxy
 * 2.1, with a workaround for each of its defects.
 *
 * **Participants.** The client's request and response; `source`, the response of the service; `call`, which settles
 * once; one deadline over the whole call.
 *
 * **Guarantees.**
 * - The gateway builds each upstream request from an allow-list. No header of another caller passes.
 * - An allow-list filters the response headers, so no hop-by-hop header passes. Bodies pass byte for byte.
 * - The body is read before, so no upstream connection waits for a client.
 * - The call continues when the client leaves: the service may run the operation, and the audit record needs its
 *   status.
 * - When the service breaks off within a body, the gateway closes the client's connection. The deadline ends both.
 *
 * **Not guaranteed.** A request with a 503 or 504 response may have taken effect, once the request was sent.
 *
 * Defects of express-http-proxy → workaround:
 * 1. Its `headers` option is one object for all callers → the option is not used.
 * 2. It sends `Connection: close` → the gateway replaces the headers object.
 * 3. It parses URLs leniently → the gateway passes the original target.
 * 4. Its `timeout` adds a listener per request to a reused socket → the deadline is an AbortSignal.
 * 5. It aborts the call when the client leaves, and streams the client's body → the gateway replaces
 *    `sendProxyRequest`.
 * 6. It copies all response headers, and Node then omits Date and Connection → `source.headers` is empty.
 * 7. Its decorators buffer, and a broken response leaves the client waiting → the gateway uses the 'pipe' event.
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
  /** Calls that have not settled. */
  readonly calls: Set<ForwardedCall>
}

const self = 'gateway'
const retryAfterSeconds = 1

/**
 * The agent closes an idle connection before the service does after 100 s: no request meets a closing connection. The
 * permits (limits/upstream-permits.ts) limit the sockets. A limit of the agent would be a second queue, unfair to
 * tenants.
 */
export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 60_000 })
  return { upstreams, agent, deadlineMs, calls: new Set() }
}

/** Waits until every call settles, ends the remaining calls after `graceMs`, and closes the connections. */
export async function closeForwarding({ agent, calls }: Forwarding, graceMs = 2_000): Promise<void> {
  const settled = Promise.all([...calls].map((call) => new Promise<void>((resolve) => call.whenSettled(resolve))))
  const timer = setTimeout(() => agent.destroy(), graceMs)
  await settled
  clearTimeout(timer)
  agent.destroy()
}

const requestHeaders = ['accept', 'content-type', 'content-encoding', 'idempotency-key'] as const

const responseHeaders = [
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
  readonly context: AuthenticatedContext
  /** The whole body; null when the request has none. */
  readonly body: Buffer | null
  /** Releases the permit of the service. Called when the call settles. */
  readonly release: Release
}

/** The value that express-http-proxy passes from step to step. */
interface ProxyContainer {
  readonly proxy: {
    readonly requestModule: typeof import('node:http')
    readonly reqBuilder: RequestOptions
    req?: ClientRequest
    res?: IncomingMessage
  }
}

type RestrictedOptions = ProxyOptions & { sendProxyRequest(container: ProxyContainer): Promise<ProxyContainer> }

/** Starts the call to the service of `context.route`. Reports a failed call to `next` as a problem. */
export function forward(
  { upstreams, agent, deadlineMs, calls }: Forwarding,
  forwarded: Forwarded,
  request: Request,
  response: Response,
  next: NextFunction,
): ForwardedCall {
  const { context, body, release } = forwarded
  const { service } = context.route
  const upstream = upstreams.get(service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${service}`)
  const headers = headersFor(upstream, forwarded, request)
  const call = new ForwardedCall()
  calls.add(call)
  call.whenSettled(release)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  call.whenSettled(() => {
    clearTimeout(timer)
    calls.delete(call)
  })
  const options: RestrictedOptions = {
    parseReqBody: false,
    proxyReqPathResolver: () => request.url,
    proxyReqOptDecorator: ({ host, port, method }): RequestOptions => {
      return { host, port, method, headers, agent, signal: deadline.signal }
    },
    sendProxyRequest: (container) => send(container, body, (source) => receive(source, call, service, response)),
    proxyErrorHandler: (error: unknown) => {
      const problem = problemOf(error, deadline.signal)
      const { status, code } = problem instanceof Problem ? problem : commonProblems.internal_error
      call.status = status
      call.code = code
      call.settle()
      if (!response.destroyed) next(problem)
    },
  }
  proxy(upstream.url, options)(request, response, next)
  return call
}

function headersFor(upstream: Upstream, { context, body }: Forwarded, request: Request) {
  const { route, traceId } = context
  const { tenantId, actor, permissions } = context.principal
  const assertion = signAssertion(
    { tenantId, actor, permissions, traceId },
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

/**
 * Sends the request. Resolves when there is a response to pipe, so that the next steps of express-http-proxy run.
 * Never resolves when `receive` returns false.
 */
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
 * Receives the response of the service. Returns true when the response must be piped to the client. When the client
 * has left, reads the response to its end and returns false. Throws when the service rejected the assertion: the
 * caller's credential is valid, so this is an error of the gateway.
 */
function receive(source: IncomingMessage, call: ForwardedCall, service: string, response: Response): boolean {
  if (source.statusCode === 401) {
    source.resume()
    throw new Error(`${service} rejected the assertion of the gateway`)
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
    readProblemCode(source, headers, (code) => (call.code = code))
    source.resume()
    return false
  }
  response.once('pipe', () => {
    for (const name of responseHeaders) {
      const value = headers[name]
      if (value !== undefined) response.setHeader(name, value)
    }
    readProblemCode(source, headers, (code) => (response.locals.code = code))
  })
  // When the client leaves before the end, the rest is read and dropped. `unpipe` pauses the source, so it comes first.
  response.once('close', () => source.unpipe(response).resume())
  return true
}

const problemBytesMax = 16 * 1024

/** Reads the code of a problem response for the audit record. */
function readProblemCode(source: IncomingMessage, headers: IncomingHttpHeaders, done: (code: string) => void): void {
  if (headers['content-type']?.startsWith('application/problem+json') !== true) return
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= problemBytesMax) chunks.push(chunk)
  })
  // Before the pipe ends the response: the end of the response writes the audit record.
  source.prependOnceListener('end', () => {
    const code = /"code":"([a-z0-9_]{1,100})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
    if (code !== undefined) done(code)
  })
}

/** Errors before the connection is open. After any other error the request may have taken effect. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function problemOf(error: unknown, deadline: AbortSignal): unknown {
  if (deadline.aborted) {
    const detail = 'The service did not complete its response in time; the request may have taken effect'
    return new Problem(commonProblems.upstream_timeout, { detail })
  }
  const code = String((error as { code?: unknown }).code)
  if (!/^(E[A-Z]+|EAI_[A-Z]+|HPE_[A-Z_]+)$/.test(code)) return error
  const detail = neverSent.has(code)
    ? 'The service cannot be reached'
    : 'The connection to the service broke off before its response; the request may have taken effect'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds, cause: error })
}
