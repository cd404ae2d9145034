import type { ProblemCode } from './generated/operations.ts'
import type { PaymentDeclinedProblem, Problem, ProblemMembers } from './generated/schemas.ts'

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
  /**
   * Whether the outcome is unknown: an attempt of this call may have taken effect. Then repeat the call with
   * `idempotencyKey`, or read the resource. False: the call changed nothing, or the error is its outcome, such as a
   * declined payment. It says nothing about an earlier call with the same key.
   */
  readonly mayHaveTakenEffect: boolean
}

export const unexpectedResponse = 'unexpected_response'

/** A later version of the API may have codes that this version of the client does not list. */
export type ErrorCode = ProblemCode | typeof unexpectedResponse | (string & {})

/** A problem of any code. The members of single problems are optional; a typed error has the members of its problem. */
export type AnyProblem = Problem & ProblemMembers

/** The response of a failed call. */
export interface FailedResponse {
  readonly status: number
  readonly headers: Headers
  readonly problem: AnyProblem | undefined
  readonly retryAfterMs: number | undefined
}

/** The members of both errors of a call. */
abstract class CallError extends Error implements FailedCall {
  readonly operation: string
  readonly traceId: string
  readonly idempotencyKey: string | undefined
  readonly attempts: number
  readonly mayHaveTakenEffect: boolean

  constructor(call: FailedCall, message: string, options?: ErrorOptions) {
    super(message, options)
    this.operation = call.operation
    this.traceId = call.traceId
    this.idempotencyKey = call.idempotencyKey
    this.attempts = call.attempts
    this.mayHaveTakenEffect = call.mayHaveTakenEffect
  }
}

/**
 * The last response was no success. Read `mayHaveTakenEffect` first: where it is false, the API rejected the request.
 * Then match on the class or on `code`. `unexpected_response`: the response is neither a problem (RFC 9457) nor a
 * result; a proxy may have sent it.
 */
export class PaymentServiceError extends CallError {
  override readonly name: string = 'PaymentServiceError'
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
  readonly code: ErrorCode
  /** Cause of the problem in this request. */
  readonly detail: string
  /** The fields that are wrong; empty for other problems. */
  readonly errors: readonly FieldError[]
  /** The wait that the response requests. */
  readonly retryAfterMs: number | undefined
  /** The whole document, with the members of single problems, such as `amount_capturable`. */
  readonly problem: AnyProblem | undefined

  constructor(call: FailedCall, { status, headers, problem, retryAfterMs }: FailedResponse) {
    const code = problem?.code ?? unexpectedResponse
    const detail = problem?.detail ?? 'The response is neither a problem document nor a result.'
    const message = `${call.operation}: ${status} ${code}: ${detail} (Trace-ID ${call.traceId})`
    super({ ...call, traceId: problem?.trace_id ?? call.traceId }, message)
    this.status = status
    this.headers = headers
    this.code = code
    this.detail = detail
    this.errors = problem?.errors ?? []
    this.retryAfterMs = retryAfterMs
    this.problem = problem
  }
}

/** The payment was declined, which is final for this token and Idempotency-Key. The transaction remains. */
export class PaymentDeclinedError extends PaymentServiceError {
  override readonly name = 'PaymentDeclinedError'
  declare readonly problem: PaymentDeclinedProblem

  /** Reason of the decline; null where the provider gave none. */
  get declineCode(): string | null {
    return this.problem.decline_code
  }

  /** Whether the same payment method may succeed later. */
  get isRetryable(): boolean {
    return this.problem.retryable
  }

  /** The payment provider's own code; null where the provider gave none. */
  get providerCode(): string | null {
    return this.problem.provider_code
  }

  get transactionId(): string {
    return this.problem.transaction_id
  }

  get operationId(): string {
    return this.problem.operation_id
  }
}

/** 400: a part of the request is malformed; `errors` names the fields. */
export class InvalidRequestError extends PaymentServiceError {
  override readonly name = 'InvalidRequestError'
}

/** 401: the credential is not valid. */
export class AuthenticationError extends PaymentServiceError {
  override readonly name = 'AuthenticationError'
}

/** 403: the credential may not do this. */
export class PermissionError extends PaymentServiceError {
  override readonly name = 'PermissionError'
}

/** 404: the resource does not exist, or belongs to another tenant. */
export class NotFoundError extends PaymentServiceError {
  override readonly name = 'NotFoundError'
}

/** 409: the state of the resource does not allow the request now. */
export class ConflictError extends PaymentServiceError {
  override readonly name = 'ConflictError'
}

/** 422: the request is well-formed, and impossible. */
export class UnprocessableError extends PaymentServiceError {
  override readonly name = 'UnprocessableError'
}

/** 429: too many requests; `retryAfterMs` is the wait. */
export class RateLimitError extends PaymentServiceError {
  override readonly name = 'RateLimitError'
}

const classes: Readonly<Record<number, typeof PaymentServiceError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
}

/** The error of a response: of the class of its problem, or a PaymentServiceError. */
export function createError(call: FailedCall, response: FailedResponse): PaymentServiceError {
  const { problem, status } = response
  if (problem === undefined) return new PaymentServiceError(call, response)
  const isDecline = problem.code === 'payment_declined' && problem.transaction_id !== undefined
  return new (isDecline ? PaymentDeclinedError : (classes[status] ?? PaymentServiceError))(call, response)
}

/**
 * No response arrived: the connection failed, or the time-out of the attempt ended. The request may have taken effect,
 * unless it was a GET.
 */
export class PaymentServiceConnectionError extends CallError {
  override readonly name = 'PaymentServiceConnectionError'
  readonly isTimeout: boolean

  constructor(call: FailedCall, isTimeout: boolean, cause: unknown) {
    const what = isTimeout ? 'no response within the time-out' : 'the connection failed'
    super(call, `${call.operation}: ${what} (Trace-ID ${call.traceId})`, { cause })
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

export function isProblem(body: unknown): body is AnyProblem {
  if (typeof body !== 'object' || body === null) return false
  const { code, detail, trace_id: traceId, errors } = body as Partial<Problem>
  const isText = [code, detail, traceId].every((member) => typeof member === 'string')
  return isText && (errors === undefined || Array.isArray(errors))
}
