import type { RawBody } from '@payments/contracts/grammar/contract'
import type { VerifiedAssertion } from '../assertion/assertion.ts'
import type { Idempotency } from '../base/caller.ts'
import type { Span } from '../observability/span.ts'

/** State that the handlers of one request share. */
export interface RequestLocals {
  operation?: string
  /** The template of the path: `/v1/api-key/keys/{api_key_id}`. */
  route?: string
  traceId?: string
  /** The span of the request, while tracing is on. */
  span?: Span
  assertion?: VerifiedAssertion
  /** Set for a call of an operator. */
  operatorCall?: { begin(tenantId: string | null): Promise<void> }
  idempotency?: Idempotency | null
  /** The body of an endpoint with a raw body. */
  rawBody?: RawBody
  /** Whether the body was read and matches the signed hash. */
  isBodyVerified?: boolean
  /** Ends the turn of a large body (body-turns.ts). */
  endBodyTurn?: () => void
  /** The code of the problem in the response. */
  code?: string
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
