import { z } from 'zod'
import { permission } from './field.ts'

/**
 * A problem is an expected failure (RFC 9457). A contract declares it, and it crosses services unchanged.
 * Every other failure is a bug: the response is a bare 500.
 */
export interface ProblemDefinition {
  readonly code: string
  readonly status: number
  readonly title: string
  /** Text of the page at `/problems/<code>`: the cause, and what to do. */
  readonly explanation: string
  /** The members of the document beside the standard ones, `extensions` of the problem. */
  readonly members?: z.ZodObject
  /** The response has a `Retry-After`. */
  readonly retryAfter?: true
}

export type ProblemDefinitions = Readonly<Record<string, ProblemDefinition>>

/** Adds to each definition its code, which is its key. */
export function defineProblems<const T extends Record<string, Omit<ProblemDefinition, 'code'>>>(definitions: T) {
  const entries = Object.entries(definitions).map(([code, definition]) => [code, { code, ...definition }])
  return Object.fromEntries(entries) as {
    readonly [C in keyof T]: ProblemDefinition & Pick<T[C], keyof T[C] & 'members'>
  }
}

/**
 * An error of one field. A JSON pointer into the body (`/name`), or into another part of the request:
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
  /** For the log; never part of a response. */
  readonly cause?: unknown
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly status: number
  readonly title: string
  readonly options: ProblemOptions

  constructor(definition: Pick<ProblemDefinition, 'code' | 'status' | 'title'>, options: ProblemOptions = {}) {
    super(`${definition.code}: ${options.detail ?? definition.title}`, { cause: options.cause })
    this.code = definition.code
    this.status = definition.status
    this.title = definition.title
    this.options = options
  }

  /** The body of the response, `application/problem+json`. */
  toBody(traceId: string): ProblemBody {
    const { detail, errors, extensions } = this.options
    return {
      ...extensions,
      type: `/problems/${this.code}`,
      title: this.title,
      status: this.status,
      detail: detail ?? summarizeErrors(errors) ?? this.title,
      code: this.code,
      trace_id: traceId,
      ...(errors === undefined ? {} : { errors: [...errors] }),
    }
  }
}

/** The text that the caller reads first: the first wrong field, and the number of others. */
function summarizeErrors(errors: readonly FieldError[] | undefined): string | undefined {
  const [first, ...others] = errors ?? []
  if (first === undefined) return undefined
  const field = first.pointer === '' ? 'The body' : first.pointer
  const rest = others.length === 0 ? '' : `, and ${others.length} more ${others.length === 1 ? 'error' : 'errors'}`
  return `${field} ${first.detail}${rest}`
}

export const problemBody = z
  .looseObject({
    type: z.string().describe('Address of a page that explains the problem: `/problems/<code>`.'),
    title: z.string().describe('Name of the problem, the same for every occurrence.'),
    status: z.int().describe('HTTP status of the response.'),
    detail: z.string().describe('Cause of the problem in this request.'),
    code: z.string().describe('Stable name of the problem. Programs match on this value.'),
    trace_id: z.string().describe('Trace-ID of the request.'),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer to the field: `/name`, `/query/limit`, `/headers/Trace-ID`.'),
          detail: z.string().describe('Error of the field.'),
        }),
      )
      .optional()
      .describe('The fields that are wrong.'),
  })
  .describe('An RFC 9457 problem document.')

export type ProblemBody = z.infer<typeof problemBody>

/** Problems that any endpoint may return. */
export const commonProblems = defineProblems({
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    explanation:
      'A part of the request does not have the documented shape, an object of the body has a member twice, or a number of the body has more digits than a double stores. `errors` names each field. Nothing was changed. Correct the fields and send the request again.',
  },
  invalid_header: {
    status: 400,
    title: 'Invalid request header',
    explanation:
      'A header is missing, malformed or repeated. Trace-ID must be a UUID that is unique to the request; a W3C traceparent may take its place. Tenant-ID must be the UUID of your tenant when you use an API key. Authorization, Trace-ID, Tenant-ID and Idempotency-Key must not be repeated.',
  },
  invalid_request_target: {
    status: 400,
    title: 'Invalid request target',
    explanation:
      'The target must be a path that begins with one slash, optionally with a query. Both contain the characters that RFC 3986 allows; percent-encode every other character as UTF-8. A path has no empty or dot segments, and no percent-encoded slash, backslash or control character. The absolute form (`http://…`), a fragment (`#`) and `*` are rejected. `errors` names what is wrong. Nothing was changed.',
  },
  raw_card_data_not_allowed: {
    status: 400,
    title: 'The request contains a card number',
    explanation:
      'The platform accepts tokens only. A sequence of digits in the body, in the query or in the Idempotency-Key looks like a card number. The request was neither executed nor stored, and its body was not logged. Exchange the card for a token at the tokenizer of your payment orchestrator, and send the token.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    explanation:
      'The API key, session or JWT is missing, malformed, unknown, disabled, expired, deleted, of another environment, or of another tenant than Tenant-ID names. For security, the response does not say which.',
  },
  session_of_another_tenant: {
    status: 401,
    title: 'Session of another tenant',
    explanation:
      'The session cookie is valid, but not for the tenant that Tenant-ID names: another tab of the browser has opened another tenant. Nothing was changed. Switch the session to the tenant of the page, and send the request again; or open the tenant of the session, which `GET /v1/identity/self` without Tenant-ID names.',
  },
  step_up_required: {
    status: 401,
    title: 'Sign in again',
    explanation:
      'The operation requires a sign-in of the last five minutes. Open `/session/step-up` in the browser, confirm at your sign-in provider, and send the request again. API keys are not affected.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission denied',
    explanation:
      'The credential lacks the permission that `detail` names. Attach a role that grants it to the API key or user.',
  },
  cross_site_request: {
    status: 403,
    title: 'Request from another site',
    explanation:
      'The form belongs to a page of the sign-in, and the browser says that another site sent the form, or does not say which. Open the page itself and send its form.',
  },
  address_not_allowed: {
    status: 403,
    title: 'Address not allowed',
    explanation: 'The request came from an address outside the `allowed_cidrs` of the API key.',
  },
  tenant_suspended: {
    status: 403,
    title: 'Tenant suspended',
    explanation: 'The platform operator has suspended the tenant. Contact support.',
  },
  would_exceed_own_permissions: {
    status: 403,
    title: 'The operation would exceed your own permissions',
    explanation:
      'The operation would create, change, reveal, rotate, disable or delete a credential or role with permissions that your own credential lacks. A caller that gives or takes a permission must hold it. `missing_permissions` lists them.',
    members: z.object({
      missing_permissions: z.array(permission).describe('Permissions that your credential lacks.'),
    }),
  },
  route_not_found: {
    status: 404,
    title: 'Path not found',
    explanation: 'No endpoint has this path. Paths are case-sensitive. The list of endpoints is at `/docs/api`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path exists, but not with this method. The `Allow` header lists its methods.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    explanation: 'The body did not arrive within 10 s. Nothing was changed. Send the request again.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    explanation:
      'An earlier request with this key may take effect at any moment. Send the same request again after `Retry-After`. The response then has the result.',
    retryAfter: true,
  },
  payload_too_large: {
    status: 413,
    title: 'Request body too large',
    explanation: 'A request body can have at most 256 KiB, that of a request without a credential 64 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    explanation: 'Send JSON in UTF-8, uncompressed, with `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key already used for another request',
    explanation: 'An Idempotency-Key identifies one request for 7 days. Use a new key for a different request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation:
      'Send the request again after `Retry-After`. The `RateLimit` headers of each response show the remaining quota.',
    retryAfter: true,
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    explanation: 'All request headers together can have at most 16 KiB.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    explanation:
      'The platform failed. The failure is logged under the trace id. Sending the request again with the same Idempotency-Key is safe.',
  },
  authorization_unavailable: {
    status: 503,
    title: 'Authorization unavailable',
    explanation:
      'The service that stores API keys, sessions or roles did not respond in time, so the credential could not be checked. Nothing was changed. Send the request again after `Retry-After`.',
    retryAfter: true,
  },
  audit_unavailable: {
    status: 503,
    title: 'Audit unavailable',
    explanation:
      'Every request leaves an audit record, and the record could not be written. A request other than GET may have taken effect if it had reached a service. Send the request again after `Retry-After` with the same Idempotency-Key.',
    retryAfter: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    explanation:
      'The service of this path or its database cannot be reached in time, or the gateway has no capacity for the request. A request other than GET may have taken effect if it had reached the service. Send the request again after `Retry-After` with the same Idempotency-Key.',
    retryAfter: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'Upstream timeout',
    explanation:
      'The service did not respond in time. A request other than GET may have taken effect. Read the resource, or send the request again with the same Idempotency-Key.',
  },
})

export type CommonProblemCode = keyof typeof commonProblems
