import type { RetryPolicy } from './retry.ts'

/** The settings that the calls of one client share. */
export interface Connection {
  readonly baseUrl: string
  /** Undefined: the browser sends the cookie of its session. */
  readonly credential: (() => string | Promise<string>) | undefined
  readonly tenantId: (() => string) | undefined
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  readonly fetch: (request: Request) => Promise<Response>
}
