import { createFairPermits, limitProblem } from '@payments/chassis/base/fair-permits'

/**
 * **What it does.** Divides the requests that check and render texts of tenants.
 *
 * **Guarantees.** Three requests of a tenant are in progress, two of one key or user. More wait: tenants take turns,
 * and so do the keys, the users and the platform within each.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface RenderingTurns {
  /** Throws rate_limited or service_unavailable when too many requests wait, or one waits too long. */
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>
}

const createRejection = limitProblem('Too many templates and messages are in progress')
const limits = { permitsMax: 16, perSubjectMax: 3, perMemberMax: 2, waitingMax: 256, waitMsMax: 10_000 }

export function createRenderingTurns(): RenderingTurns {
  return createFairPermits({ ...limits, createRejection })
}
