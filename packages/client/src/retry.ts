import { type FailedCall, PaymentServiceError, unexpectedResponse } from './errors.ts'

/** How often and how fast a request is repeated. */
export interface RetryPolicy {
  /** The first attempt included. 1: no repetition. */
  readonly attemptsMax: number
  /** Upper bound of the wait before the first repetition. The bound doubles with each repetition. */
  readonly delayMs: number
  readonly delayMsMax: number
  /** A response that requests a longer wait with `Retry-After` is not repeated. */
  readonly retryAfterMsMax: number
  /**
   * Maximum time of waiting for an attempt that is still in progress (409 `idempotency_key_in_use`). These repetitions
   * do not count for `attemptsMax`, unless it is 1.
   */
  readonly inProgressMsMax: number
}

export const defaultRetryPolicy: RetryPolicy = {
  attemptsMax: 4,
  delayMs: 250,
  delayMsMax: 8_000,
  retryAfterMsMax: 60_000,
  // An operation is in progress for 20 s at most, then its response is its result or a 202.
  inProgressMsMax: 30_000,
}

/** Throws RangeError where a value is not usable. */
export function retryPolicy(given: Partial<RetryPolicy>): RetryPolicy {
  const policy = { ...defaultRetryPolicy, ...given }
  requireInteger('retry.attemptsMax', policy.attemptsMax, 1, 100)
  for (const name of ['delayMs', 'delayMsMax', 'retryAfterMsMax', 'inProgressMsMax'] as const) {
    requireInteger(`retry.${name}`, policy[name], 0, timerMsMax)
  }
  return policy
}

/** The longest time of a timer. */
export const timerMsMax = 2 ** 31 - 1

export function requireInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new RangeError(`${name} must be an integer from ${min} to ${max}`)
}

/** The API responds with these before a request has an effect. */
const withoutEffect: readonly string[] = [
  'rate_limited',
  'authorization_unavailable',
  'operation_in_progress',
  'request_timeout',
]

const inProgress = 'idempotency_key_in_use'

/** After these the request may have had an effect. */
const temporary = [502, 503, 504]

/**
 * Whether the request may be sent again after `error`. A request that may have had an effect is repeated if the method
 * is idempotent (RFC 9110, 9.2.2) or an Idempotency-Key makes it so.
 */
export function isRepeatable(method: string, hasKey: boolean, error: FailedCall): boolean {
  const isSafe = hasKey || ['GET', 'PUT', 'DELETE'].includes(method)
  if (!(error instanceof PaymentServiceError)) return isSafe
  if (withoutEffect.includes(error.code) || error.status === 429 || error.code === inProgress) return true
  return isSafe && temporary.includes(error.status)
}

/** Whether a request with the same Idempotency-Key was in progress when the attempt arrived. */
export function isInProgress(error: FailedCall): boolean {
  return error instanceof PaymentServiceError && error.code === inProgress
}

/**
 * Whether the effect of a call is unknown after an attempt without success. `before`: the same after the attempts
 * before, because a rejection of a later attempt says nothing about an earlier one. `response` is undefined where none
 * arrived; `isReplayed`: it is the stored one of an earlier request with the same Idempotency-Key.
 */
export function isOutcomeUnknown(
  method: string,
  before: boolean,
  response: { readonly status: number; readonly code: string; readonly isReplayed: boolean } | undefined,
): boolean {
  if (method === 'GET') return false
  if (response === undefined) return true
  const { status, code, isReplayed } = response
  // The result of the operation, no matter which attempt started it.
  if (isReplayed || code === 'payment_declined' || code === 'provider_unreachable') return false
  if (code === inProgress || code === unexpectedResponse) return true
  return before || (status >= 500 && !withoutEffect.includes(code))
}

/**
 * The wait before the next attempt in milliseconds: random up to a bound that doubles (full jitter), and not before
 * `retryAfterMs`. Undefined: no further attempt. `random` is from 0 to 1.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  if (attempts >= policy.attemptsMax) return undefined
  if (retryAfterMs !== undefined && retryAfterMs > policy.retryAfterMsMax) return undefined
  const bound = Math.min(policy.delayMsMax, policy.delayMs * 2 ** (attempts - 1))
  return (retryAfterMs ?? 0) + Math.floor(bound * random)
}

/**
 * As `retryDelayMs`, for an attempt that found an earlier one in progress for `waitedMs`. A response that names no wait
 * is repeated after a second.
 */
export function inProgressDelayMs(
  policy: RetryPolicy,
  waitedMs: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const delayMs = Math.max(retryAfterMs ?? 1_000, 100)
  if (policy.attemptsMax === 1 || waitedMs + delayMs > policy.inProgressMsMax) return undefined
  return delayMs + Math.floor(Math.min(policy.delayMs, delayMs) * random)
}

/** The value of a `Retry-After` header, seconds or a date, in milliseconds. Undefined without a usable value. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
