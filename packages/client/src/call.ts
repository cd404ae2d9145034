import createFetchClient from 'openapi-fetch'
import { type FailedCall, PaymentServiceConnectionError, PaymentServiceError } from './errors.ts'
import type { operations } from './generated/operations.ts'
import { isRepeatable, type RetryPolicy, requireInteger, retryAfterMs, retryDelayMs, timerMsMax } from './retry.ts'
import { version } from './version.ts'

/**
 * **What it does.** Sends the request of one call, and repeats the request while that is safe and may help.
 *
 * **Participants.** openapi-fetch writes the URL. retry.ts decides whether and when a request is repeated. errors.ts
 * has the errors that a call throws.
 *
 * **Guarantees.** All attempts of a call have the same Trace-ID, Idempotency-Key and body. A request that may have had
 * an effect is repeated only where a repetition has no second effect. Attempts, waits, time and bytes are bounded. The
 * caller's signal ends an attempt and a wait.
 *
 * **Not guaranteed.** The outcome of a request after PaymentServiceConnectionError: send the request again with the
 * same Idempotency-Key, or read the resource.
 */
export interface CallOptions {
  /** Trace-ID of all attempts: a UUID. Default: a random one. */
  readonly traceId?: string | undefined
  /** Default: a random one per call. Store your own key to repeat a request after a restart. */
  readonly idempotencyKey?: string | undefined
  /** Ends the call; the call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Time-out of each attempt in milliseconds, including the wait for the credential. */
  readonly timeoutMs?: number | undefined
  /** Maximum attempts, the first included. */
  readonly attemptsMax?: number | undefined
}

export interface Connection {
  readonly baseUrl: string
  readonly credential: () => string | Promise<string>
  readonly tenantId: string | undefined
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  readonly fetch: (request: Request) => Promise<Response>
}

export type OperationName = keyof typeof operations

export interface Operation {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: boolean
}

export type CallArguments = Readonly<Record<string, unknown>>

const responseBytesMax = 32 * 1024 * 1024

/** Resolves with the body of the successful response; undefined where the response has none. */
export async function call(
  connection: Connection,
  name: string,
  operation: Operation,
  args: CallArguments,
  options: CallOptions,
): Promise<unknown> {
  const request = requestOf(operation, args)
  const retry = { ...connection.retry, attemptsMax: options.attemptsMax ?? connection.retry.attemptsMax }
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs
  requireInteger('attemptsMax', retry.attemptsMax, 1, 100)
  requireInteger('timeoutMs', timeoutMs, 1, timerMsMax)
  if (options.idempotencyKey !== undefined && !operation.idempotencyKey) {
    throw new TypeError(`${name} takes no idempotencyKey`)
  }
  const traceId = options.traceId ?? crypto.randomUUID()
  const idempotencyKey = operation.idempotencyKey ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined
  for (let attempts = 1; ; attempts++) {
    options.signal?.throwIfAborted()
    const failed: FailedCall = { operation: name, traceId, idempotencyKey, attempts }
    const outcome = await attempt(connection, failed, request, timeoutMs, options.signal)
    if (!(outcome instanceof Error)) return outcome.data
    const wait = outcome instanceof PaymentServiceError ? outcome.retryAfterMs : undefined
    const delayMs = isRepeatable(operation, outcome) ? retryDelayMs(retry, attempts, wait, Math.random()) : undefined
    if (delayMs === undefined) throw outcome
    await pause(delayMs, options.signal)
  }
}

type FailedAttempt = PaymentServiceError | PaymentServiceConnectionError

/** Members of `args` that the path names are its parameters, `body` is the body, the others are the query. */
function requestOf({ method, path }: Operation, args: CallArguments) {
  const names = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))
  for (const name of names) {
    const value = args[name]
    // A segment of dots would lead to another path.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an identifier`)
  }
  const { body, ...rest } = args
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const query = given.filter(([name]) => !names.has(name))
  for (const [name, value] of query) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError(`${name} must be a single value`)
  }
  return {
    method,
    path,
    params: {
      path: Object.fromEntries(given.filter(([name]) => names.has(name))),
      query: Object.fromEntries(query),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

/** Throws TypeError without the value: `Headers` would throw an error that contains it. */
export function checkedCredential(credential: unknown): string {
  if (typeof credential === 'string' && /^[\x21-\x7e]+$/.test(credential)) return credential
  throw new TypeError('credential must be the value of an API key or a JWT: printable ASCII without spaces')
}

function headersOf(connection: Connection, { traceId, idempotencyKey }: FailedCall, credential: string): Headers {
  const headers = new Headers({
    Authorization: `Bearer ${credential}`,
    'Trace-ID': traceId,
    'User-Agent': `payment-service-client/${version}`,
  })
  if (connection.tenantId !== undefined) headers.set('Tenant-ID', connection.tenantId)
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  return headers
}

interface AttemptRequest {
  readonly method: string
  readonly path: string
  readonly params: object
  readonly body?: string
}

/** The types of openapi-fetch are for literal paths; operation.ts has those of our calls. */
type Send = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: string; error?: unknown; response: Response }>

async function attempt(
  connection: Connection,
  failed: FailedCall,
  { method, path, ...init }: AttemptRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ data: unknown } | FailedAttempt> {
  const deadline = startDeadline(timeoutMs, signal)
  const api = createFetchClient({
    baseUrl: connection.baseUrl,
    fetch: (request) => fetchWhole(connection.fetch, request),
  })
  try {
    const credential = checkedCredential(await untilAborted(deadline.signal, connection.credential))
    const headers = headersOf(connection, failed, credential)
    const { data, error, response } = await (api.request as unknown as Send)(method, path, {
      ...init,
      headers,
      bodySerializer: (text: string) => text,
      parseAs: 'text',
      redirect: 'manual',
      signal: deadline.signal,
    })
    if (!response.ok) {
      return new PaymentServiceError(failed, response.status, error, retryAfterOf(response))
    }
    if (data === undefined) return { data }
    const body = parsed(data)
    return body === undefined ? new PaymentServiceError(failed, response.status, undefined) : { data: body }
  } catch (error) {
    signal?.throwIfAborted()
    // Not returned, because a repetition would bring the same response.
    if (error instanceof ResponseTooLarge) throw new PaymentServiceError(failed, error.status, undefined)
    if (!(error instanceof FetchFailure)) throw error
    return new PaymentServiceConnectionError(failed, deadline.signal.aborted, error.cause)
  } finally {
    deadline.end()
  }
}

/** The connection failed, or the attempt ended, before the whole response was read. */
class FetchFailure extends Error {}

class ResponseTooLarge extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The response has more than ${responseBytesMax} bytes`)
    this.status = status
  }
}

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
async function fetchWhole(fetch: Connection['fetch'], request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    const body = await readBody(response)
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  } catch (cause) {
    if (cause instanceof ResponseTooLarge) throw cause
    throw new FetchFailure('The connection failed', { cause })
  }
}

async function readBody(response: Response): Promise<Blob | null> {
  if (response.body === null || response.status === 204) return null
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(chunks)
    bytes += value.byteLength
    if (bytes > responseBytesMax) {
      reader.cancel().catch(() => {})
      throw new ResponseTooLarge(response.status)
    }
    chunks.push(value)
  }
}

const retryAfterOf = (response: Response) => retryAfterMs(response.headers.get('Retry-After'), Date.now())

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A signal that aborts after `timeoutMs` or with the caller's signal. `end` releases timer and listener. */
function startDeadline(timeoutMs: number, signal: AbortSignal | undefined) {
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

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
