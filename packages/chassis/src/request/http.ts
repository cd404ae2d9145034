import type { IncomingMessage } from 'node:http'
import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import type { ErrorRequestHandler } from 'express'
import { z } from 'zod'
import './error-map.ts'
import type { Log } from '../observability/log.ts'
import type { RequestLocals } from './locals.ts'
import { overloadOf } from './overload.ts'

/** All values of a header. Node joins or drops duplicates in `headers`, so this reads `rawHeaders`. */
export function rawHeaderValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]?.toLowerCase() === name) values.push(request.rawHeaders[i + 1] ?? '')
  }
  return values
}

/**
 * Parses the parts of a request by its contract. Throws one invalid_request that names every invalid field. A page
 * ignores unknown query parameters: mail programs append their own to links.
 */
export function parseRequest(
  endpoint: Endpoint,
  request: { params: unknown; query: object; body: unknown },
): RequestOf<Endpoint> {
  const errors: FieldError[] = []
  const parse = (schema: z.ZodType | undefined, value: unknown, prefix: string): unknown => {
    const parsed = schema?.safeParse(value)
    if (parsed?.success === false) errors.push(...fieldErrors(parsed.error, prefix))
    return parsed?.data
  }
  const parsed = {
    params: parse(endpoint.params, request.params, '/path'),
    query: parse(endpoint.query ?? (endpoint.page === undefined ? noQuery : undefined), request.query, '/query'),
    body: parse(endpoint.body, request.body, ''),
  }
  // In a record, zod silently drops a key of this name; in an object, it reports the key.
  const named = new Set(errors.map(({ pointer }) => pointer))
  errors.push(...prototypeKeys(request.body).filter(({ pointer }) => !named.has(pointer)))
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors: errors.slice(0, errorsMax) })
  return { ...parsed, raw: undefined } as RequestOf<Endpoint>
}

/** Finds a field named `__proto__`, which is never allowed, in a body. */
function prototypeKeys(body: unknown): FieldError[] {
  const pending = [{ value: body, pointer: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [key, value] of Object.entries(next.value)) {
      const pointer = `${next.pointer}/${escapePointer(key)}`
      if (key === '__proto__') return [{ pointer, detail: 'is not a known field' }]
      pending.push({ value, pointer })
    }
  }
  return []
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

const noQuery = z.strictObject({})
const errorsMax = 50

function fieldErrors(error: z.ZodError, prefix: string): FieldError[] {
  return error.issues.slice(0, errorsMax).flatMap((issue): FieldError[] => {
    const path = issue.path.map((part) => `/${escapePointer(String(part))}`).join('')
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, errorsMax).map((key) => ({
        pointer: `${prefix}${path}/${escapePointer(key).slice(0, 200)}`,
        detail: 'is not a known field',
      }))
    }
    return [{ pointer: `${prefix}${path}`, detail: issue.message }]
  })
}

/** The Problem for an error of body-parser. */
export function problemOfBodyError(error: unknown): Problem | undefined {
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
  const cause = overloadOf(error)
  if (cause === undefined) return undefined
  const detail = 'The database is overloaded. Send the request again with the same Idempotency-Key'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
}

export interface EncodedProblem {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type EncodeProblem = (problem: Problem, traceId: string, target: string) => EncodedProblem

export const encodeProblem: EncodeProblem = (problem, traceId) => ({
  headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
  body: JSON.stringify(problem.toBody(traceId)),
})

/**
 * The last handler of an app. A Problem becomes its response, an overload of the database a 503. Every other error is a
 * bug: logged, with a bare 500.
 */
export function problemHandler(
  log: Log,
  traceIdOf: (response: { locals: RequestLocals }) => string,
  encode: EncodeProblem = encodeProblem,
): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error)
    const known =
      error instanceof Problem
        ? error
        : (problemOfBodyError(error) ?? problemOfPathError(error) ?? problemOfOverload(error))
    const problem = known ?? new Problem(commonProblems.internal_error)
    const traceId = traceIdOf(response)
    if (known === undefined) log.error({ err: error, trace_id: traceId, method: request.method }, 'unexpected error')
    else if (known.status >= 500) log.warn({ trace_id: traceId, code: known.code, cause: known.cause }, 'unavailable')
    response.locals.code = problem.code
    response.set('Trace-ID', traceId)
    if (problem.options.retryAfterSeconds !== undefined) {
      response.set('Retry-After', String(Math.ceil(problem.options.retryAfterSeconds)))
    }
    if (response.locals.idempotency?.replayed === true) response.set('Idempotent-Replayed', 'true')
    const { headers, body } = encode(problem, traceId, request.originalUrl)
    response.status(problem.status).set(headers).send(body)
  }
}

const pathCharactersMax = 2_048

/** The path of a request target, without query or fragment, for a log line. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  return target.slice(0, Math.min(end === -1 ? target.length : end, pathCharactersMax))
}
