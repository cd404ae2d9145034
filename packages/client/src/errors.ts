import type { ProblemCode } from './generated/operations.ts'
import type { Problem } from './generated/schemas.ts'

export interface FieldError {
  /** JSON pointer into the body (`/name`), or into another part of the request: `/query/limit`, `/headers/Trace-ID`. */
  readonly pointer: string
  readonly detail: string
}

/** The request that failed. */
export interface FailedCall {
  readonly operation: string
  readonly traceId: string
  /** Pass this key to send the same request again, for example after a restart. */
  readonly idempotencyKey: string | undefined
  readonly attempts: number
}

/** A later version of the API may have codes that this version of the client does not list. */
export type ErrorCode = ProblemCode | 'unexpected_response' | (string & {})

/**
 * The API rejected the request with a problem (RFC 9457). Match on `code`. `unexpected_response`: the response is no
 * problem and no result; a proxy may have sent it.
 */
export class PaymentServiceError extends Error implements FailedCall {
  override readonly name = 'PaymentServiceError'
  readonly operation: string
  readonly traceId: string
  readonly idempotencyKey: string | undefined
  readonly attempts: number
  /** HTTP status. */
  readonly status: number
  readonly code: ErrorCode
  /** Cause of the problem in this request. */
  readonly detail: string
  /** The fields that are wrong; empty for other problems. */
  readonly errors: readonly FieldError[]
  /** The wait that the response requests. */
  readonly retryAfterMs: number | undefined
  /** The whole document, with members of single problems such as `decline_code`. */
  readonly problem: Problem | undefined

  constructor(call: FailedCall, status: number, body: unknown, retryAfterMs?: number) {
    const problem = isProblem(body) ? body : undefined
    const code = problem?.code ?? 'unexpected_response'
    const detail = problem?.detail ?? 'The response is neither a problem document nor a result.'
    super(`${call.operation}: ${status} ${code}: ${detail} (Trace-ID ${call.traceId})`)
    this.operation = call.operation
    this.traceId = problem?.trace_id ?? call.traceId
    this.idempotencyKey = call.idempotencyKey
    this.attempts = call.attempts
    this.status = status
    this.code = code
    this.detail = detail
    this.errors = problem?.errors ?? []
    this.retryAfterMs = retryAfterMs
    this.problem = problem
  }
}

/**
 * No response arrived: the connection failed, or the time-out of the attempt ended. The request may have taken effect.
 */
export class PaymentServiceConnectionError extends Error implements FailedCall {
  override readonly name = 'PaymentServiceConnectionError'
  readonly operation: string
  readonly traceId: string
  readonly idempotencyKey: string | undefined
  readonly attempts: number
  readonly isTimeout: boolean

  constructor(call: FailedCall, isTimeout: boolean, cause: unknown) {
    const what = isTimeout ? 'no response within the time-out' : 'the connection failed'
    super(`${call.operation}: ${what} (Trace-ID ${call.traceId})`, { cause })
    this.operation = call.operation
    this.traceId = call.traceId
    this.idempotencyKey = call.idempotencyKey
    this.attempts = call.attempts
    this.isTimeout = isTimeout
  }
}

/** A list has more pages than `pagesMax`. `cursor` continues it. */
export class PageLimitError extends Error {
  override readonly name = 'PageLimitError'
  readonly cursor: string

  constructor(operation: string, pagesMax: number, cursor: string) {
    super(`${operation}: the list has more than ${pagesMax} pages; raise pagesMax, or continue with the cursor`)
    this.cursor = cursor
  }
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  const { code, detail, trace_id: traceId, errors } = body as Partial<Problem>
  const isText = [code, detail, traceId].every((member) => typeof member === 'string')
  return isText && (errors === undefined || Array.isArray(errors))
}
