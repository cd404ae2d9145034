import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { createFairPermits, type FairPermits } from '../base/fair-permits.ts'

const waitingMax = 4_000

/**
 * Divides the connections of a client to another service among tenants (docs/decisions/0028). One tenant uses three
 * quarters of the connections at most. Rejects with service_unavailable when no connection becomes free in `waitMsMax`.
 */
export function createCallPermits(service: string, connectionsMax: number, waitMsMax: number): FairPermits {
  return createFairPermits({
    permitsMax: connectionsMax,
    perSubjectMax: Math.ceil(connectionsMax * 0.75),
    waitingMax,
    waitMsMax,
    createRejection: () => {
      const detail = `Too many requests wait for the ${service} service at the moment`
      return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
    },
  })
}

/**
 * The tenant of a call is in the path of its endpoint. Calls of an endpoint that names none, such as calls of jobs over
 * all tenants, count as calls of one more tenant.
 */
export function permitSubject(operation: string, params: Readonly<Record<string, unknown>> = {}): string {
  const { tenant_id: tenantId } = params
  return typeof tenantId === 'string' ? tenantId : operation
}
