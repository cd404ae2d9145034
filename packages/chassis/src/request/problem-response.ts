import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { ErrorRequestHandler } from 'express'
import { EndedCredential, endedCredentialHeader } from '../base/ended-credential.ts'
import type { Log } from '../observability/log.ts'
import type { RequestLocals } from './locals.ts'
import { findOverload } from './overload.ts'

/** The Problem for an error of body-parser. */
function problemOfBodyError(error: unknown): Problem | undefined {
  const type = (error as { type?: unknown }).type
  switch (type) {
    case 'entity.parse.failed':
      return new Problem(commonProblems.invalid_request, {
        detail: 'The body is not valid JSON',
        errors: [{ pointer: '', detail: 'is not valid JSON' }],
      })
    case 'entity.too.large':
      return new Problem(commonProblems.payload_too_large)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Problem(commonProblems.unsupported_media_type)
    case 'request.aborted':
    case 'request.size.invalid':
      return new Problem(commonProblems.invalid_request, { detail: 'The body ended before its announced length' })
    default:
      return undefined
  }
}

/** Express decodes path parameters and throws a URIError for `%zz`. */
function problemOfPathError(error: unknown): Problem | undefined {
  if (!(error instanceof URIError)) return undefined
  const detail = 'is not valid percent-encoding'
  return new Problem(commonProblems.invalid_request, { errors: [{ pointer: '/path', detail }] })
}

/** A request may have committed a transaction before the one that failed, so its repetition needs its key. */
function problemOfOverload(error: unknown): Problem | undefined {
  const cause = findOverload(error)
  if (cause === undefined) return undefined
  const detail = 'The database is overloaded or away. Send the request again, with its Idempotency-Key if it has one'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
}

interface EncodedProblem {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `acceptLanguage`: of the request, where it could be read. */
export type EncodeProblem = (
  problem: Problem,
  traceId: string,
  target: string,
  acceptLanguage?: string,
) => EncodedProblem

export const encodeProblem: EncodeProblem = (problem, traceId) => ({
  headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
  body: JSON.stringify(problem.toBody(traceId)),
})

/**
 * A Problem becomes the response, a database that is overloaded or away a 503. Every other error is a bug: logged, with
 * a bare 500. `fields`: of the log line.
 */
export function toProblem(error: unknown, log: Log, fields: { readonly trace_id: string; method?: string }): Problem {
  const known =
    error instanceof Problem
      ? error
      : (problemOfBodyError(error) ?? problemOfPathError(error) ?? problemOfOverload(error))
  if (known === undefined) log.error({ err: error, ...fields }, 'unexpected error')
  else if (known.status >= 500)
    log.warn({ trace_id: fields.trace_id, code: known.code, cause: known.cause }, 'unavailable')
  return known ?? new Problem(commonProblems.internal_error)
}

/** A failure of the platform after it found the stored response, which is never stored itself. */
const isOwnFailure = ({ status }: Problem) => status === 500 || status === 503

/** The last handler of an app: responds with the problem of an error. */
export function problemHandler(
  log: Log,
  readTraceId: (response: { locals: RequestLocals }) => string,
  encode: EncodeProblem = encodeProblem,
): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error)
    const traceId = readTraceId(response)
    const problem = toProblem(error, log, { trace_id: traceId, method: request.method })
    response.locals.code = problem.code
    response.set('Trace-ID', traceId)
    if (error instanceof EndedCredential) response.set(endedCredentialHeader, 'true')
    if (problem.options.retryAfterSeconds !== undefined) {
      response.set('Retry-After', String(Math.ceil(problem.options.retryAfterSeconds)))
    }
    if (response.locals.idempotency?.replayed === true && !isOwnFailure(problem)) {
      response.set('Idempotent-Replayed', 'true')
    }
    const { headers, body } = encode(problem, traceId, request.originalUrl, request.headers['accept-language'])
    response.status(problem.status).set(headers).send(body)
  }
}
