import type { Endpoint } from '../grammar/contract.ts'
import type { ProblemDefinition } from '../grammar/problem.ts'

/** Which headers the responses of an OpenAPI document have. */
type Json = Record<string, unknown>

const component = (name: string) => ({ $ref: `#/components/headers/${name}` })

const traceId = { 'Trace-ID': component('TraceId') }
const rateLimit = { RateLimit: component('RateLimit'), 'RateLimit-Policy': component('RateLimitPolicy') }
const location = { Location: component('Location') }
const retryAfter = { 'Retry-After': component('RetryAfter') }
const idempotentReplayed = { 'Idempotent-Replayed': component('IdempotentReplayed') }

/** Of each response of a deprecated endpoint. */
export function headersOfDeprecation({ deprecated }: Endpoint): Json {
  if (deprecated === undefined) return {}
  return { Deprecation: component('Deprecation'), Sunset: component('Sunset'), Link: component('DeprecationLink') }
}

/** A public endpoint has no rate of a credential, and sends its rate per address with a 429 only. */
export function headersOfSuccess(endpoint: Endpoint, status: string): Json {
  const { audience, idempotent } = endpoint
  return {
    ...traceId,
    ...headersOfDeprecation(endpoint),
    ...(audience === 'public' ? {} : rateLimit),
    ...(status === '201' ? location : {}),
    ...(idempotent === true ? idempotentReplayed : {}),
  }
}

/** Only the outcome of an operation is stored with its Idempotency-Key; every other problem is decided again. */
const stored = ['payment_declined', 'provider_unreachable']

export function headersOfProblem(problems: readonly ProblemDefinition[]): Json {
  return {
    ...traceId,
    // The headers are too large to find a credential in them.
    ...(problems.some(({ code }) => code === 'headers_too_large') ? {} : rateLimit),
    ...(problems.some((problem) => problem.retryAfter === true) ? retryAfter : {}),
    ...(problems.some(({ code }) => stored.includes(code)) ? idempotentReplayed : {}),
  }
}
