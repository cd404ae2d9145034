import type { VerifiedAssertion } from './assertion.ts'
import type { Idempotency } from './caller.ts'

/** State that the handlers of one request share. */
export interface RequestLocals {
  operation?: string
  traceId?: string
  assertion?: VerifiedAssertion
  /** Set for a call of an operator. */
  operatorCall?: { begin(tenantId: string | null): Promise<void> }
  idempotency?: Idempotency | null
  /** Whether the body was read and matches the signed hash. */
  isBodyVerified?: boolean
  /** The code of the problem in the response. */
  code?: string
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
