import type { VerifiedAssertion } from './assertion.ts'
import type { Idempotency } from './caller.ts'

/** What the handlers of one request tell each other. */
export interface RequestLocals {
  operation?: string
  traceId?: string
  assertion?: VerifiedAssertion
  /** Set for a call of an operator. */
  operatorCall?: { begin(tenantId: string | null): Promise<void> }
  idempotency?: Idempotency | null
  /** The body has been read, and is the one that was signed. */
  isBodyVerified?: boolean
  /** The code of the problem that was answered. */
  code?: string
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
