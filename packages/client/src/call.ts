import { type AttemptRequest, attempt, type Connection, type FailedAttempt, startDeadline } from './attempt.ts'
import { type FailedCall, PaymentServiceError } from './errors.ts'
import type { operations } from './generated/operations.ts'
import {
  inProgressDelayMs,
  isInProgress,
  isRepeatable,
  type RetryPolicy,
  requireInteger,
  retryDelayMs,
  timerMsMax,
} from './retry.ts'

/**
 * **What it does.** Sends the request of one call, and repeats the request while that is safe and may help.
 *
 * **Participants.** attempt.ts sends one request. retry.ts decides whether and when a request is repeated. errors.ts
 * has the errors that a call throws.
 *
 * **Guarantees.** All attempts of a call have the same Trace-ID, Idempotency-Key and body. A request that may have had
 * an effect is repeated only where a repetition has no second effect. Attempts, waits, time and bytes are bounded. The
 * caller's signal ends an attempt and a wait.
 *
 * **Not guaranteed.** The outcome of a request after an error with `mayHaveTakenEffect`: send the request again with
 * the same Idempotency-Key, or read the resource.
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
  /** Maximum attempts, the first included. Waiting for an attempt in progress does not count. */
  readonly attemptsMax?: number | undefined
}

export type OperationName = keyof typeof operations

export interface Operation {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: boolean
}

export type CallArguments = Readonly<Record<string, unknown>>

/** The response of a successful call, beside its body. */
export interface CallResponse<Body> {
  /** Undefined where the response has no body. */
  readonly data: Body
  /** HTTP status. 202: the outcome is not known yet. */
  readonly status: number
  readonly traceId: string
  readonly headers: Headers
  /** The key that was sent. Undefined where the operation takes none. */
  readonly idempotencyKey: string | undefined
  readonly attempts: number
  /** The response is the stored one of an earlier request with the same Idempotency-Key. */
  readonly isReplayed: boolean
}

/** A promise of the body. `withResponse` has status, trace id and headers too. */
export interface Call<Body> extends Promise<Body> {
  withResponse(): Promise<CallResponse<Body>>
}

/** Starts the call at once; `withResponse` sends nothing again. */
export function call(
  connection: Connection,
  name: string,
  operation: Operation,
  args: CallArguments,
  options: CallOptions,
): Call<unknown> {
  const whole = execute(connection, name, operation, args, options)
  const body = whole.then(({ data }) => data)
  return Object.assign(body, {
    withResponse() {
      // The caller handles the rejection of `whole`.
      body.catch(() => {})
      return whole
    },
  })
}

async function execute(
  connection: Connection,
  name: string,
  operation: Operation,
  args: CallArguments,
  options: CallOptions,
): Promise<CallResponse<unknown>> {
  const request = buildRequest(operation, args)
  const retry = { ...connection.retry, attemptsMax: options.attemptsMax ?? connection.retry.attemptsMax }
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs
  requireInteger('attemptsMax', retry.attemptsMax, 1, 100)
  requireInteger('timeoutMs', timeoutMs, 1, timerMsMax)
  if (options.idempotencyKey !== undefined && !operation.idempotencyKey) {
    throw new TypeError(`${name} takes no idempotencyKey`)
  }
  const traceId = options.traceId ?? crypto.randomUUID()
  const idempotencyKey = operation.idempotencyKey ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined
  const nextDelayMs = createRetrySchedule(retry, operation)
  let mayHaveTakenEffect = false
  for (let attempts = 1; ; attempts++) {
    options.signal?.throwIfAborted()
    const start: FailedCall = { operation: name, traceId, idempotencyKey, attempts, mayHaveTakenEffect }
    const outcome = await attempt(connection, start, request, timeoutMs, options.signal)
    if (!(outcome instanceof Error)) return { ...outcome, traceId, idempotencyKey, attempts }
    mayHaveTakenEffect = outcome.mayHaveTakenEffect
    const delayMs = nextDelayMs(outcome)
    if (delayMs === undefined) throw outcome
    await pause(delayMs, options.signal)
  }
}

/** Returns the wait after each failed attempt of one call; undefined ends the call. */
function createRetrySchedule(retry: RetryPolicy, operation: Operation): (outcome: FailedAttempt) => number | undefined {
  let counted = 0
  let firstInProgressAt: number | undefined
  return (outcome) => {
    const retryAfterMs = outcome instanceof PaymentServiceError ? outcome.retryAfterMs : undefined
    if (isInProgress(outcome)) {
      const now = performance.now()
      firstInProgressAt ??= now
      return inProgressDelayMs(retry, now - firstInProgressAt, retryAfterMs, Math.random())
    }
    counted += 1
    return isRepeatable(operation.method, operation.idempotencyKey, outcome)
      ? retryDelayMs(retry, counted, retryAfterMs, Math.random())
      : undefined
  }
}

/** Members of `args` that the path names are its parameters, `body` is the body, the others are the query. */
function buildRequest({ method, path: template }: Operation, { body, ...args }: CallArguments): AttemptRequest {
  const names = new Set<string>()
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = args[name]
    // A segment of dots would lead to another path.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an identifier`)
    names.add(name)
    return encodeURIComponent(value)
  })
  const query = Object.entries(args).filter(([name, value]) => value !== undefined && !names.has(name))
  const written = query.map(([name, value]) => {
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError(`${name} must be a single value`)
    return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
  })
  const target = written.length === 0 ? path : `${path}?${written.join('&')}`
  return { method, path: target, body: JSON.stringify(body) }
}

/** Rejects with the reason of `signal` as soon as it is aborted. */
async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = startDeadline(delayMs, signal)
  await new Promise((resolve) => {
    deadline.signal.addEventListener('abort', resolve)
    if (deadline.signal.aborted) resolve(undefined)
  })
  deadline.end()
  signal?.throwIfAborted()
}
