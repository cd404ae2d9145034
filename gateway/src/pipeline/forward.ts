import type { KeyObject } from 'node:crypto'
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion/assertion'
import type { Release } from '@payments/chassis/base/fair-permits'
import { serviceAgent } from '@payments/chassis/client/service-agent'
import { tracing } from '@payments/chassis/observability/trace'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import type { NextFunction, Request, Response } from 'express'
import proxy, { type ProxyOptions } from 'express-http-proxy'
import type { Route } from '../route-table.ts'
import type { AssertedCaller } from './caller.ts'
import { ForwardedCall, isUuid, type MatchedContext } from './request-context.ts'
import { traceCall } from './trace.ts'
import { isProblem, readProblemCode, rejectWithProblem } from './upstream-problem.ts'

/**
 * **What it does.** Forwards a request to its service and streams the response back, with express-http-proxy 2.1 and a
 * workaround for each of its defects (README.md).
 *
 * **Guarantees.**
 * - The upstream request and the response headers are built from allow-lists. Bodies pass byte for byte.
 * - The call continues when the client leaves: the audit record needs its status. A wait ends then, and has none.
 * - When the service breaks off within a body, the gateway closes the client's connection. The deadline ends both.
 *
 * **Not guaranteed.** A request with a 503 or 504 response may have taken effect, once the request was sent.
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
 * The permits (limits/upstream-permits.ts) limit the sockets. A limit of the agent would be a second queue, unfair to
 * tenants.
 */
export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  return { upstreams, agent: serviceAgent({ maxFreeSockets: 64 }), deadlineMs, calls: new Set() }
}

/** Waits until every call settles, ends the remaining calls after `graceMs`, and closes the connections. */
export async function closeForwarding({ agent, calls }: Forwarding, graceMs: number): Promise<void> {
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
  'content-security-policy',
  'content-type',
  'idempotent-replayed',
  'location',
  'permissions-policy',
  'referrer-policy',
  'retry-after',
  'x-frame-options',
] as const

export interface Forwarded {
  readonly context: MatchedContext
  /** The caller that the assertion names. */
  readonly caller: AssertedCaller
  /** The whole body; null when the request has none. */
  readonly body: Buffer | null
  /** Releases the permit of the service. Called when the call settles. */
  readonly release: Release
  /** Of an endpoint that waits for a change. */
  readonly wait?: ForwardedWait | undefined
}

/** The response of a wait may begin long after its request was authorized. */
interface ForwardedWait {
  /** Takes the function that ends the call with a problem. Returns the function that removes it. */
  readonly opened: (end: (problem: Problem) => void) => () => void
  /** Authorizes the request again, before its response begins. Throws as the first authorization does. */
  readonly authorizeAgain: () => Promise<unknown>
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
  const { context, body, release, wait } = forwarded
  const { service } = context.route
  const upstream = upstreams.get(service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${service}`)
  const headers = headersFor(upstream, forwarded, request)
  const call = new ForwardedCall()
  calls.add(call)
  call.whenSettled(release)
  if (tracing !== undefined) headers['traceparent'] = traceCall(tracing, context, call).traceparent
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  call.whenSettled(() => {
    clearTimeout(timer)
    calls.delete(call)
  })
  if (wait !== undefined) endWithClient(wait, deadline, response, call)
  const options: RestrictedOptions = {
    parseReqBody: false,
    proxyReqPathResolver: () => request.originalUrl,
    proxyReqOptDecorator: ({ host, port }): RequestOptions => {
      return { host, port, method: context.route.endpoint.method, headers, agent, signal: deadline.signal }
    },
    sendProxyRequest: (container) =>
      send(container, body, (source) => {
        const received = () => receive(source, call, context.route, response)
        return wait === undefined ? received() : admitResponse(source, wait).then(received)
      }),
    proxyErrorHandler: (error: unknown) => {
      const problem = problemOf(error, deadline.signal)
      const { status, code } = problem instanceof Problem ? problem : commonProblems.internal_error
      if (wait === undefined || !response.destroyed) {
        call.status = status
        call.code = code
      }
      call.settle()
      if (!response.destroyed) next(problem)
    },
  }
  proxy(upstream.url, options)(request, response, next)
  return call
}

/** A wait ends when its client leaves, so that it occupies no permit, and when the process drains. */
function endWithClient({ opened }: ForwardedWait, deadline: AbortController, response: Response, call: ForwardedCall) {
  const remove = opened((problem) => deadline.abort(problem))
  const leave = () => {
    if (!response.writableFinished) deadline.abort()
  }
  response.once('close', leave)
  call.whenSettled(() => {
    remove()
    response.off('close', leave)
  })
}

/** Authorizes a wait again before its response begins: a caller that lost its permission learns nothing new. */
async function admitResponse(source: IncomingMessage, { authorizeAgain }: ForwardedWait): Promise<void> {
  try {
    await authorizeAgain()
  } catch (error) {
    source.resume()
    throw error
  }
  if (source.destroyed && !source.complete) {
    throw Object.assign(new Error('the response of the service broke off'), { code: 'ECONNRESET' })
  }
}

function headersFor(upstream: Upstream, { context, caller, body }: Forwarded, request: Request) {
  const { route, traceId } = context
  const assertion = signAssertion(
    { ...caller, traceId },
    { issuer: self, audience: route.service, key: upstream.key },
    { method: route.endpoint.method, path: request.originalUrl, operation: route.operation, body: body ?? undefined },
  )
  const headers: Record<string, string> = { [assertionHeader]: assertion }
  for (const name of [...requestHeaders, ...(route.endpoint.rawBody?.headers ?? [])]) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  if (body !== null || route.endpoint.method !== 'GET') headers['content-length'] = String(body?.length ?? 0)
  return headers
}

/**
 * Sends the request. Resolves when there is a response to pipe, so that the next steps of express-http-proxy run.
 * Never resolves when `receive` returns false.
 */
function send(
  container: ProxyContainer,
  body: Buffer | null,
  receive: (source: IncomingMessage) => boolean | Promise<boolean>,
): Promise<ProxyContainer> {
  return new Promise((resolve, reject) => {
    const { requestModule, reqBuilder } = container.proxy
    const outgoing = requestModule.request(reqBuilder)
    outgoing.on('error', reject)
    outgoing.once('response', (source) => {
      container.proxy.req = outgoing
      container.proxy.res = source
      try {
        const received = receive(source)
        if (received === true) resolve(container)
        else if (received !== false) received.then((isPiped) => isPiped && resolve(container)).catch(reject)
      } catch (error) {
        reject(error)
      }
    })
    outgoing.end(body)
  })
}

/**
 * Receives the response of the service. Returns true when the response must be piped to the client. When the client
 * has left, reads the response to its end and returns false. A problem in place of a page becomes a rejection, so that
 * the gateway responds with a page. Throws when the service rejected the assertion: the caller's credential is valid,
 * so this is an error of the gateway.
 */
function receive(
  source: IncomingMessage,
  call: ForwardedCall,
  { service, endpoint }: Route,
  response: Response,
): boolean | Promise<never> {
  if (source.statusCode === 401) {
    source.resume()
    throw new Error(`${service} rejected the assertion of the gateway`)
  }
  if (endpoint.audience === 'public') {
    call.recordedTenantId = idIn(source.headers[recordedTenantHeader])
    call.recordedUserId = call.recordedTenantId === null ? null : idIn(source.headers[recordedUserHeader])
  }
  if (endpoint.page !== undefined && isProblem(source.headers)) return rejectWithProblem(source)
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
    for (const name of endpoint.cookies === undefined ? responseHeaders : [...responseHeaders, 'set-cookie']) {
      const value = headers[name]
      if (value !== undefined) response.setHeader(name, value)
    }
    readProblemCode(source, headers, (code) => (response.locals.code = code))
  })
  // When the client leaves before the end, the rest is read and dropped. `unpipe` pauses the source, so it comes first.
  response.once('close', () => source.unpipe(response).resume())
  return true
}

const idIn = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && isUuid(header) ? header : null

/** Errors before the connection is open. After any other error the request may have taken effect. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function problemOf(error: unknown, deadline: AbortSignal): unknown {
  if (deadline.aborted) {
    if (deadline.reason instanceof Problem) return deadline.reason
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
