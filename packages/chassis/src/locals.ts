import type { Assertion } from './assertion.ts'
import type { Idempotency } from './caller.ts'

/** What the handlers of one request tell each other. */
export interface RequestLocals {
  operation?: string
  traceId?: string
  assertion?: Assertion
  /** Set where an operator calls. */
  operatorCall?: { begin(tenantId: string | null): Promise<void> }
  idempotency?: Idempotency | null
  /** The code of the problem that was answered. */
  code?: string
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
