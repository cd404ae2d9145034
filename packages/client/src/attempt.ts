import {
  createError,
  type FailedCall,
  isProblem,
  PaymentServiceConnectionError,
  type PaymentServiceError,
  unexpectedResponse,
} from './errors.ts'
import { isOutcomeUnknown, type RetryPolicy, retryAfterMs } from './retry.ts'

/** One request and its whole response, within a time-out. */

/** The version in package.json. A test compares the two. */
export const version = '1.0.0'

const responseBytesMax = 32 * 1024 * 1024

/** The settings that the calls of one client share. */
export interface Connection {
  readonly baseUrl: string
  /** Undefined: the browser sends the cookie of its session. */
  readonly credential: (() => string | Promise<string>) | undefined
  readonly tenantId: (() => string) | undefined
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  readonly fetch: (request: Request) => Promise<Response>
}

/** Throws TypeError without the value: `Headers` would throw an error that contains it. */
export function requireCredential(credential: unknown): string {
  if (typeof credential === 'string' && /^[\x21-\x7e]+$/.test(credential)) return credential
  throw new TypeError('credential must be the value of an API key or a JWT: printable ASCII without spaces')
}

/** A request without a Tenant-ID would act in the tenant of its credential. */
export function requireTenantId(tenantId: unknown): string {
  if (typeof tenantId === 'string' && tenantId !== '') return tenantId
  throw new TypeError('tenantId must be the UUID of the tenant')
}

async function buildHeaders(
  connection: Connection,
  { traceId, idempotencyKey }: FailedCall,
  signal: AbortSignal,
): Promise<Headers> {
  const headers = new Headers({ 'Trace-ID': traceId })
  if (connection.credential === undefined) {
    // A page of another origin cannot send this header, so the gateway takes the cookie for a credential.
    headers.set('X-Console', '1')
  } else {
    headers.set('Authorization', `Bearer ${requireCredential(await untilAborted(signal, connection.credential))}`)
    headers.set('User-Agent', `payment-service-client/${version}`)
  }
  if (connection.tenantId !== undefined) headers.set('Tenant-ID', requireTenantId(connection.tenantId()))
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  return headers
}

export interface AttemptRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** JSON. */
  readonly body: string | undefined
}

export type FailedAttempt = PaymentServiceError | PaymentServiceConnectionError

/** Sends the request once. `start.mayHaveTakenEffect` says whether an earlier attempt may have taken effect. */
export async function attempt(
  connection: Connection,
  start: FailedCall,
  { method, path, body }: AttemptRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
) {
  const deadline = startDeadline(timeoutMs, signal)
  let isSent = false
  try {
    const headers = await buildHeaders(connection, start, deadline.signal)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    const init = { method, headers, body: body ?? null, redirect: 'manual', signal: deadline.signal } as const
    const request = new Request(connection.baseUrl.replace(/\/$/, '') + path, init)
    isSent = true
    const { response, text } = await fetchWhole(connection.fetch, request)
    // Not returned, because a repetition would bring the same response.
    if (text === undefined) throw createFailure(start, method, response, undefined)
    const data = parseJson(text)
    const isEmpty = response.status === 204 || response.headers.get('Content-Length') === '0'
    if (!response.ok || (data === undefined && !isEmpty)) return createFailure(start, method, response, data)
    return { data, status: response.status, headers: response.headers, isReplayed: isReplayed(response) }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof FetchFailure)) throw error
    const mayHaveTakenEffect = isSent
      ? isOutcomeUnknown(method, start.mayHaveTakenEffect, undefined)
      : start.mayHaveTakenEffect
    return new PaymentServiceConnectionError({ ...start, mayHaveTakenEffect }, deadline.signal.aborted, error.cause)
  } finally {
    deadline.end()
  }
}

function createFailure(start: FailedCall, method: string, response: Response, body: unknown): PaymentServiceError {
  const { status, headers } = response
  const problem = isProblem(body) ? body : undefined
  const code = problem?.code ?? unexpectedResponse
  const seen = { status, code, isReplayed: isReplayed(response) }
  const mayHaveTakenEffect = isOutcomeUnknown(method, start.mayHaveTakenEffect, seen)
  const retryAfter = retryAfterMs(headers.get('Retry-After'), Date.now())
  return createError({ ...start, mayHaveTakenEffect }, { status, headers, problem, retryAfterMs: retryAfter })
}

const isReplayed = ({ headers }: Response) => headers.get('Idempotent-Replayed') === 'true'

/** The connection failed, or the attempt ended, before the whole response was read. */
class FetchFailure extends Error {}

/** Resolves with the result of `read`. Throws FetchFailure as soon as `signal` is aborted. */
async function untilAborted<T>(signal: AbortSignal, read: () => T | Promise<T>): Promise<T> {
  if (signal.aborted) throw new FetchFailure('The attempt ended', { cause: signal.reason })
  let abort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(new FetchFailure('The attempt ended', { cause: signal.reason }))
  })
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted, read()])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Reads the body within the attempt, so that a connection lost in the middle of the body counts as a failure. */
async function fetchWhole(fetch: Connection['fetch'], request: Request) {
  try {
    const response = await fetch(request)
    // A browser hides a redirect: the status is 0.
    if (response.status === 0) throw new TypeError('The response is a redirect')
    return { response, text: await readText(response) }
  } catch (cause) {
    throw new FetchFailure('The connection failed', { cause })
  }
}

/** Undefined where the body has more than `responseBytesMax` bytes. */
async function readText({ body }: Response): Promise<string | undefined> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > responseBytesMax) {
      reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A signal that aborts after `timeoutMs` or with the caller's signal. `end` releases timer and listener. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('The time-out ended', 'TimeoutError')), timeoutMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}
