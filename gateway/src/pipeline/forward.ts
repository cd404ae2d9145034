import type { KeyObject } from 'node:crypto'
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion/assertion'
import { endedCredentialHeader } from '@payments/chassis/base/ended-credential'
import type { Release } from '@payments/chassis/base/fair-permits'
import { serviceAgent } from '@payments/chassis/client/service-agent'
import { tracing } from '@payments/chassis/observability/trace'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import type { NextFunction, Request, Response } from 'express'
import proxy, { type ProxyOptions } from 'express-http-proxy'
import { InProgress } from '../limits/in-progress.ts'
import type { Route } from '../route-table.ts'
import { invalidCredentials } from './authenticate.ts'
import { CallDeadline, withEffect } from './call-deadline.ts'
import type { AssertedCaller } from './caller.ts'
import { authorizeResponse, endWithClient, ForwardedCall, type ForwardedWait } from './forwarded-call.ts'
import { relay, relayReveal } from './relay.ts'
import { isUuid, type MatchedContext } from './request-context.ts'
import { traceCall } from './trace.ts'
import { isProblem, readProblemCode, rejectWithProblem } from './upstream-problem.ts'
import { suppressUrlParseWarning } from './url-parse-warning.ts'

/**
 * **What it does.** Forwards a request to its service and streams the response back, with express-http-proxy 2.1 and a
 * workaround for each of its defects (README.md).
 *
 * **Guarantees.**
 * - The upstream request and the response headers are built from allow-lists. Bodies pass byte for byte.
 * - The call continues when the client leaves: the audit record needs its status. A wait ends then, and has none.
 * - When the service breaks off within a body, the gateway closes the client's connection. The deadline ends both.
 *
 * **Not guaranteed.** A request other than GET with a 503 or 504 response may have taken effect, once it was sent.
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
  readonly calls: InProgress<ForwardedCall>
}

const self = 'gateway'
const retryAfterSeconds = 1

/**
 * The permits (limits/upstream-permits.ts) limit the sockets. A limit of the agent would be a second queue, unfair to
 * tenants.
 */
export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  suppressUrlParseWarning()
  return { upstreams, agent: serviceAgent({ maxFreeSockets: 64 }), deadlineMs, calls: new InProgress() }
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
const responseHeadersWithCookies = [...responseHeaders, 'set-cookie'] as const

export interface ForwardRequest {
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

/** The value that express-http-proxy passes from step to step. */
interface ProxyContainer {
  readonly proxy: {
    readonly requestModule: typeof import('node:http')
    readonly reqBuilder: RequestOptions
    req?: ClientRequest
    res?: PipedResponse
  }
}

/** The part of a response that express-http-proxy uses: it copies the headers, then calls `pipe`. */
interface PipedResponse {
  readonly statusCode: number | undefined
  readonly headers: Readonly<Record<string, never>>
  readonly pipe: (response: Response) => void
}

type RestrictedOptions = ProxyOptions & { sendProxyRequest(container: ProxyContainer): Promise<ProxyContainer> }

/** Starts the call to the service of `context.route`. Reports a failed call to `next` as a problem. */
export function forward(
  { upstreams, agent, deadlineMs, calls }: Forwarding,
  toForward: ForwardRequest,
  request: Request,
  response: Response,
  next: NextFunction,
): ForwardedCall {
  const { context, body, release, wait } = toForward
  const { service, endpoint } = context.route
  const upstream = upstreams.get(service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${service}`)
  const headers = headersFor(upstream, toForward, request)
  const call = new ForwardedCall()
  call.whenSettled(calls.add(call))
  call.whenSettled(release)
  if (tracing !== undefined) headers['traceparent'] = traceCall(tracing, context, call).traceparent
  const deadline = new CallDeadline(deadlineMs, endpoint.method)
  call.whenSettled(() => deadline.clear())
  if (wait !== undefined) endWithClient(wait, deadline, response, call)
  const options: RestrictedOptions = {
    parseReqBody: false,
    proxyReqPathResolver: () => request.originalUrl,
    proxyReqOptDecorator: ({ host, port }): RequestOptions => {
      return { host, port, method: endpoint.method, headers, agent }
    },
    sendProxyRequest: (container) =>
      send(container, body, deadline, (source) => {
        const received = () => receive(source, call, context.route, response)
        return wait === undefined ? received() : authorizeResponse(source, wait).then(received)
      }),
    proxyErrorHandler: (error: unknown) => {
      const problem = deadline.problem ?? toProblem(error, endpoint.method)
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

function headersFor(upstream: Upstream, { context, caller, body }: ForwardRequest, request: Request) {
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
 * Never resolves when `receive` returns undefined.
 */
function send(
  container: ProxyContainer,
  body: Buffer | null,
  deadline: CallDeadline,
  receive: (source: IncomingMessage) => Received | Promise<Received>,
): Promise<ProxyContainer> {
  return new Promise((resolve, reject) => {
    const { requestModule, reqBuilder } = container.proxy
    const outgoing = requestModule.request(reqBuilder)
    outgoing.on('error', reject)
    deadline.bind(outgoing)
    const proceed = (received: Received) => {
      if (received === undefined) return
      container.proxy.req = outgoing
      container.proxy.res = received
      resolve(container)
    }
    outgoing.on('response', (source) => {
      try {
        const received = receive(source)
        if (received instanceof Promise) received.then(proceed).catch(reject)
        else proceed(received)
      } catch (error) {
        reject(error)
      }
    })
    outgoing.end(body)
  })
}

type Received = PipedResponse | undefined

/**
 * Receives the response of the service, and returns what is piped to the client. When the client has left, reads the
 * response to its end and returns undefined. A problem in place of a page becomes a rejection, so that
 * the gateway responds with a page. Throws invalid_credentials when the credential of the caller ended after its
 * authentication, and an error when the service rejected the assertion: that is an error of the gateway.
 */
function receive(
  source: IncomingMessage,
  call: ForwardedCall,
  { service, endpoint }: Route,
  response: Response,
): Received | Promise<never> {
  if (source.statusCode === 401) {
    source.resume()
    if (source.headers[endedCredentialHeader] !== undefined) throw invalidCredentials()
    throw new Error(`${service} rejected the assertion of the gateway`)
  }
  if (endpoint.audience === 'public') {
    call.recordedTenantId = idIn(source.headers[recordedTenantHeader])
    call.recordedUserId = call.recordedTenantId === null ? null : idIn(source.headers[recordedUserHeader])
  }
  if (endpoint.page !== undefined && isProblem(source.headers)) return rejectWithProblem(source)
  call.status = source.statusCode
  const { statusCode, headers } = source
  source.on('close', () => {
    if (!source.complete && !response.destroyed) {
      call.isBroken = true
      response.destroy()
    }
    call.settle()
  })
  if (response.destroyed) {
    readProblemCode(source, headers, (code) => (call.code = code))
    source.resume()
    return undefined
  }
  const pipe = () => {
    for (const name of endpoint.cookies === undefined ? responseHeaders : responseHeadersWithCookies) {
      const value = headers[name]
      if (value !== undefined) response.setHeader(name, value)
    }
    readProblemCode(source, headers, (code) => (response.locals.code = code))
    if (endpoint.reveals === true) return relayReveal(source, response, call)
    // The record of a problem needs its code, which is known at the end of the source.
    relay(source, response, isProblem(headers) ? undefined : Number(headers['content-length']))
  }
  return { statusCode, headers: {}, pipe }
}

const idIn = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && isUuid(header) ? header : null

/** Errors before the connection is open. After any other error a request other than GET may have taken effect. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function toProblem(error: unknown, method: string): unknown {
  const code = String((error as { code?: unknown }).code)
  if (!/^(E[A-Z]+|EAI_[A-Z]+|HPE_[A-Z_]+)$/.test(code)) return error
  const detail = neverSent.has(code)
    ? 'The service cannot be reached'
    : withEffect('The connection to the service broke off before its response', method)
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds, cause: error })
}
