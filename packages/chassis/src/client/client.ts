import { Agent } from 'node:http'
import type { CallOf, Contract, Endpoint, ReplyOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem, problemBody } from '@payments/contracts/grammar/problem'
import { parentInTrace } from '@payments/contracts/grammar/traceparent'
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios'
import { type AssertionKeys, assertionHeader, signAssertion } from '../assertion/assertion.ts'
import type { Span } from '../observability/span.ts'
import { tracing } from '../observability/trace.ts'
import { createCallPermits, permitSubject } from './call-permits.ts'
import { serviceAgent } from './service-agent.ts'

/**
 * The internal endpoints that the contract lets the process `Self` call. A Problem that the service threw is thrown
 * again by the client, with its `Retry-After`.
 */
export type Client<C extends Contract, Self extends string = string> = {
  readonly [N in keyof C['endpoints'] as MayCall<C['endpoints'][N], Self> extends true ? N : never]: (
    context: { traceId: string },
    call: CallOf<C['endpoints'][N]>,
  ) => Promise<ReplyOf<C['endpoints'][N]>>
}

/** `string` is a process known only at run time: the client has every internal endpoint. */
type MayCall<E extends Endpoint, Self extends string> = E extends { readonly callers: readonly (infer Name)[] }
  ? [string] extends [Self]
    ? true
    : Self extends Name
      ? true
      : false
  : false

export interface ClientOptions<Self extends string = string> {
  /** The name of this process: the issuer of its assertions. */
  readonly self: Self
  readonly baseUrl: string
  readonly keys: AssertionKeys
  readonly timeoutMs: number
  /** Set by payctl only: the operator who calls. */
  readonly operator?: string
}

const replyBytesMax = 4 * 1024 * 1024
const connectionsMax = 64

/** Opens a connection for each request. A server that closes an idle connection often closes the others as well. */
const newConnections = new Agent({ keepAlive: false })

/**
 * Calls internal endpoints of another service. Throws service_unavailable if the service is unreachable or sends a
 * 5xx or a response that is too large, and when no connection becomes free for the tenant of the call within
 * `timeoutMs`.
 */
export function client<C extends Contract, Self extends string>(
  contract: C,
  options: ClientOptions<Self>,
): Client<C, Self> {
  const key = options.keys.get(contract.service)
  if (key === undefined) throw new Error(`no assertion key for ${options.self} → ${contract.service}`)
  const operator = options.operator === undefined ? {} : { operator: options.operator }
  const edge = { issuer: options.self, audience: contract.service, key }
  const http = axios.create({
    baseURL: options.baseUrl,
    timeout: options.timeoutMs,
    httpAgent: serviceAgent({ maxSockets: connectionsMax }),
    maxRedirects: 0,
    maxContentLength: replyBytesMax,
    proxy: false,
    validateStatus: null,
  })
  const permits = createCallPermits(contract.service, connectionsMax, options.timeoutMs)
  const call = async (
    operation: string,
    endpoint: Endpoint,
    traceId: string,
    { params, query, body }: CallOf<Endpoint>,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const path = buildTarget(endpoint, params ?? {}, query ?? {})
    const actor = { type: 'service' as const, id: options.self }
    // Encoded here, so that the signed bytes are the bytes sent.
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const assertion = signAssertion({ tenantId: null, actor, permissions: [], traceId, ...operator }, edge, {
      method: endpoint.method,
      path,
      operation,
      body: bytes,
    })
    const headers: Record<string, string> = { [assertionHeader]: assertion }
    if (bytes !== undefined) headers['content-type'] = 'application/json'
    const span = tracing === undefined ? undefined : callSpan(contract.service, endpoint, traceId)
    if (span !== undefined) headers['traceparent'] = span.traceparent
    const request = {
      method: endpoint.method,
      url: path,
      headers,
      signal,
      ...(bytes === undefined ? {} : { data: bytes }),
    }
    const response = await send(http, request).catch((cause: unknown) => {
      if (!axios.isAxiosError(cause)) throw cause
      span?.end({}, cause.code ?? 'unavailable')
      if (isTooLarge(cause)) throw tooLarge(contract.service)
      throw unavailable(contract.service, cause.code ?? cause.message)
    })
    span?.end(
      { 'http.response.status_code': response.status },
      response.status >= 400 ? String(response.status) : undefined,
    )
    return readReply(contract.service, endpoint, response)
  }
  const entries = Object.entries(contract.endpoints).filter(([, { callers }]) => callers?.includes(options.self))
  return Object.fromEntries(
    entries.map(([name, endpoint]) => [
      name,
      ({ traceId }: { traceId: string }, request: CallOf<Endpoint>) => {
        // One deadline for wait and call. The `timeout` of axios ends a silent connection, not one that sends for ever.
        const signal = AbortSignal.timeout(options.timeoutMs)
        return permits.run(permitSubject(name, request.params), () => call(name, endpoint, traceId, request, signal))
      },
    ]),
  ) as Client<C, Self>
}

/** Sends a GET again, on a new connection, when the server closed an idle connection at the moment of its reuse. */
async function send(http: AxiosInstance, request: AxiosRequestConfig): Promise<AxiosResponse<unknown>> {
  try {
    return await http.request(request)
  } catch (error) {
    const isClosedBeforehand =
      axios.isAxiosError(error) && error.code === 'ECONNRESET' && error.request?.reusedSocket === true
    if (request.method !== 'GET' || !isClosedBeforehand) throw error
    return http.request({ ...request, httpAgent: newConnections })
  }
}

/** The span of a call that a traced request makes. A call of a job has none. */
function callSpan(service: string, { method, path }: Endpoint, traceId: string): Span | undefined {
  const parent = parentInTrace(tracing?.active()?.traceparent, traceId)
  if (parent === undefined) return undefined
  const attributes = { 'http.request.method': method, 'url.template': path, 'peer.service': service }
  return tracing?.start(`${method} ${path}`, { kind: 'client', traceId, parent, attributes })
}

function buildTarget(endpoint: Endpoint, params: Record<string, unknown>, query: Record<string, unknown>): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return search === '' ? path : `${path}?${search}`
}

function readReply(service: string, endpoint: Endpoint, response: AxiosResponse<unknown>): unknown {
  const statuses = Object.keys(endpoint.replies)
  const schema = endpoint.replies[response.status as 200]
  if (schema !== undefined) {
    const body = schema === null ? undefined : schema.parse(response.data)
    return statuses.length === 1 ? body : { status: response.status, body }
  }
  const problem = problemBody.safeParse(response.data)
  if (!problem.success) throw unavailable(service, `status ${response.status}`)
  if (response.status >= 500) throw failure(service, problem.data)
  const { code, status, title, detail, errors } = problem.data
  const retryAfterSeconds = Number(response.headers['retry-after'])
  // A share of the tenant can bound every endpoint.
  if (!isDeclared(endpoint, code) && code === commonProblems.rate_limited.code) throw unavailable(service, code)
  if (!isDeclared(endpoint, code)) throw new Error(`${service} sent an undeclared problem: ${code}: ${detail}`)
  throw new Problem(
    { code, status, title },
    {
      detail,
      ...(errors === undefined ? {} : { errors }),
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    },
  )
}

function isDeclared(endpoint: Endpoint, code: string): boolean {
  return endpoint.problems?.includes(code) === true
}

/** By its text: axios has no code for it. */
const isTooLarge = ({ message }: Error): boolean => message.startsWith('maxContentLength size')

function tooLarge(service: string): Problem {
  const detail = `The response of the ${service} service has more than ${replyBytesMax} bytes`
  return new Problem(commonProblems.service_unavailable, { detail })
}

/** The service responded, so its own words say more than that it cannot be reached. Those of a bug say nothing. */
function failure(service: string, { code, detail }: ReturnType<typeof problemBody.parse>): Problem {
  const isKnown = code === commonProblems.service_unavailable.code
  const text = isKnown ? `The ${service} service is not available: ${detail}` : `The ${service} service failed`
  return new Problem(commonProblems.service_unavailable, { detail: text, retryAfterSeconds: 1, cause: code })
}

function unavailable(service: string, cause: unknown): Problem {
  const detail = `The ${service} service cannot be reached at the moment`
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
}
