import { createFairPermits, type FairPermits, limitProblem } from '@payments/chassis/base/fair-permits'

/**
 * **What it does.** Divides the requests that check and render texts of tenants.
 *
 * **Guarantees.** Three requests of a tenant are in progress, two of one key or user. More wait: tenants take turns,
 * and so do the keys, the users and the platform within each. When too many wait, or one waits too long, it gets
 * rate_limited or service_unavailable.
 *
 * **Not guaranteed.** Across replicas.
 */
export const createRenderingTurns = (): FairPermits =>
  createFairPermits({
    permitsMax: 16,
    perSubjectMax: 3,
    perMemberMax: 2,
    waitingMax: 256,
    waitMsMax: 10_000,
    createRejection: limitProblem('Too many templates and messages are in progress'),
  })
