import type { RetryPolicy } from './retry.ts'

/** The settings that the calls of one client share. */
export interface Connection {
  readonly baseUrl: string
  readonly credential: () => string | Promise<string>
  readonly tenantId: string | undefined
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  readonly fetch: (request: Request) => Promise<Response>
}
