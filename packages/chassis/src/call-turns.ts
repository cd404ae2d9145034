import { commonProblems, Problem } from '@payments/contracts/problem'
import { createFairPermits } from './fair-permits.ts'

const waitingMax = 4_000

/** The subject of calls that name no tenant, such as those of jobs over all tenants. */
const noTenant = '*'

/** Runs `call` on a connection of its own. The tenant of a call is a parameter of the path of its endpoint. */
export type CallTurns = <T>(params: Readonly<Record<string, unknown>> | undefined, call: () => Promise<T>) => Promise<T>

/**
 * Divides the connections of a client to another service among tenants, because an agent serves its callers in order
 * of arrival: calls of one tenant that are slow at the service would take every connection. One tenant uses three
 * quarters of the connections at most. Calls that name no tenant take turns with the tenants, and all of them together
 * use three quarters at most too. Throws service_unavailable when no connection becomes free in `waitMsMax`.
 */
export function createCallTurns(service: string, connectionsMax: number, waitMsMax: number): CallTurns {
  const permits = createFairPermits({
    permitsMax: connectionsMax,
    perSubjectMax: Math.ceil(connectionsMax * 0.75),
    waitingMax,
    waitMsMax,
    rejectionOf: () => {
      const detail = `Too many requests wait for the ${service} service at the moment`
      return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
    },
  })
  return async (params, call) => {
    const { tenant_id: tenantId } = params ?? {}
    const subject = typeof tenantId === 'string' ? tenantId : noTenant
    const release = permits.tryAcquire(subject) ?? (await permits.acquire(subject))
    try {
      return await call()
    } finally {
      release()
    }
  }
}
