import { z } from 'zod'

/**
 * A problem is an expected refusal, declared in a contract, that crosses services intact (RFC 9457).
 * Anything else that goes wrong is a bug, and answers a bare 500.
 */
export interface ProblemDefinition {
  readonly code: string
  readonly status: number
  readonly title: string
  /** What the page at `/problems/<code>` tells: the cause, and what to do. */
  readonly explanation: string
}

export type ProblemDefinitions = Readonly<Record<string, ProblemDefinition>>

/** Gives each definition its code, which is its key. */
export function defineProblems<const T extends Record<string, Omit<ProblemDefinition, 'code'>>>(definitions: T) {
  const entries = Object.entries(definitions).map(([code, definition]) => [code, { code, ...definition }])
  return Object.fromEntries(entries) as { readonly [C in keyof T]: ProblemDefinition }
}

/**
 * What is wrong with one field. A JSON pointer into the body (`/name`), or into another part of the request:
 * `/query/limit`, `/path/api_key_id`, `/headers/Trace-ID`.
 */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

export interface ProblemOptions {
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  /** Members beside the standard ones, e.g. `allowed_actions`. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** For our log; never answered. */
  readonly cause?: unknown
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly status: number
  readonly title: string
  readonly options: ProblemOptions

  constructor(definition: Omit<ProblemDefinition, 'explanation'>, options: ProblemOptions = {}) {
    super(`${definition.code}: ${options.detail ?? definition.title}`, { cause: options.cause })
    this.code = definition.code
    this.status = definition.status
    this.title = definition.title
    this.options = options
  }

  /** The body of the answer, `application/problem+json`. */
  toBody(traceId: string): ProblemBody {
    const { detail, errors, extensions } = this.options
    return {
      ...extensions,
      type: `/problems/${this.code}`,
      title: this.title,
      status: this.status,
      detail: detail ?? this.title,
      code: this.code,
      trace_id: traceId,
      ...(errors === undefined ? {} : { errors: [...errors] }),
    }
  }
}

export const problemBody = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  trace_id: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
})

export type ProblemBody = z.infer<typeof problemBody>

/** Refusals that any endpoint may answer. */
export const commonProblems = defineProblems({
  invalid_request: {
    status: 400,
    title: 'The request is malformed',
    explanation:
      'A part of the request does not have the shape that the endpoint documents, or an object in the body has the same member twice. `errors` names each field. Nothing was changed; correct the fields and send it again.',
  },
  invalid_header: {
    status: 400,
    title: 'A request header is missing, malformed or given twice',
    explanation:
      'Trace-ID must be a UUID that is unique to the request. Tenant-ID must be the UUID of your tenant when you use an API key. Authorization, Trace-ID, Tenant-ID and Idempotency-Key may be given once.',
  },
  raw_card_data_not_allowed: {
    status: 400,
    title: 'The request contains what looks like a card number',
    explanation:
      'The platform takes tokens only. The body was neither stored nor logged. Exchange the card for a token at the tokenizer of your payment orchestrator and send the token.',
  },
  invalid_credentials: {
    status: 401,
    title: 'The credentials are not valid',
    explanation:
      'The API key or JWT is missing, malformed, unknown, disabled, expired, deleted, of another environment, or does not belong to the tenant named in Tenant-ID. Which of these it is, is not told.',
  },
  permission_denied: {
    status: 403,
    title: 'The credential lacks the permission for this operation',
    explanation: 'Attach a role that grants the permission named in `detail` to the key or user, or use another one.',
  },
  address_not_allowed: {
    status: 403,
    title: 'The API key may not be used from this address',
    explanation: 'The key has `allowed_cidrs`, and the address the request came from is in none of them.',
  },
  tenant_suspended: {
    status: 403,
    title: 'The tenant is suspended',
    explanation: 'The platform operator has suspended the tenant. Contact support.',
  },
  would_exceed_own_permissions: {
    status: 403,
    title: 'Nobody can hand out more power than they hold',
    explanation:
      'The operation would create, reveal, rotate or re-enable a credential that can do something your own credential cannot. `missing_permissions` lists what you lack.',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such path',
    explanation: 'No endpoint has this path. Paths are case-sensitive. The list of endpoints is at /docs.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not take this method',
    explanation: 'The `Allow` header lists the methods the path takes.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The body was not received in time. Send the request again.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    explanation: 'Wait as long as `Retry-After` says and send the same request again; it will answer with the result.',
  },
  payload_too_large: {
    status: 413,
    title: 'The request body is too large',
    explanation: 'A request body may have at most 256 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The request body is not JSON',
    explanation: 'Send JSON in UTF-8, uncompressed, with `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used for another request',
    explanation: 'An Idempotency-Key stands for one request for 7 days. Use a fresh key for a different request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation: 'Wait as long as `Retry-After` says. The `RateLimit` headers of each answer tell how much is left.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    explanation: 'All request headers together may have at most 16 KiB.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    explanation:
      'The fault was logged under the trace id. Sending the request again is safe with the same Idempotency-Key.',
  },
  authorization_unavailable: {
    status: 503,
    title: 'Authorization cannot be decided at the moment',
    explanation:
      'The service that owns keys or roles did not answer in time, and a request is never let through on a guess. Nothing was done. Send it again after `Retry-After`.',
  },
  audit_unavailable: {
    status: 503,
    title: 'The request cannot be recorded at the moment',
    explanation:
      'Every request leaves an audit record, and there is no room for another one. A request that was refused on arrival was not carried out; one that had been begun may have taken effect. Send it again after `Retry-After`, with the same Idempotency-Key.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is not available at the moment',
    explanation: 'The service behind this path cannot be reached. Send the request again after `Retry-After`.',
  },
  upstream_timeout: {
    status: 504,
    title: 'The service did not answer in time',
    explanation:
      'The request may have taken effect. Read the resource, or send the request again with the same Idempotency-Key.',
  },
})

export type CommonProblemCode = keyof typeof commonProblems
