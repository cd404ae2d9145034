import { createFairPermits, problemOfLimit } from '@payments/chassis/base/fair-permits'

/**
 * **What it does.** Divides the time in which the service checks and renders texts of tenants. Such a text holds the
 * event loop for milliseconds.
 *
 * **Guarantees.** Two requests of a tenant are in progress. More wait, and tenants take turns. So a request of another
 * tenant waits for two texts of each tenant at most, not for all that arrived before it.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface RenderingTurns {
  /** Throws rate_limited or service_unavailable when too many requests wait, or one waits too long. */
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>
}

const limits = { permitsMax: 16, perSubjectMax: 2, waitingMax: 256, waitMsMax: 10_000 }

export function createRenderingTurns(): RenderingTurns {
  const rejectionOf = problemOfLimit('Too many templates and messages are in progress')
  return createFairPermits({ ...limits, rejectionOf })
}
