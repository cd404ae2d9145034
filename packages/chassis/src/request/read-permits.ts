import type { Endpoint } from '@payments/contracts/grammar/contract'
import type { Response } from 'express'
import { type Contention, createContention } from '../base/contention.ts'
import { createFairPermits, problemOfLimit } from '../base/fair-permits.ts'
import './locals.ts'

const limits = { permitsMax: 64, waitingMax: 512, waitMsMax: 10_000 }
const perTenantMax = 6
const restMsMax = 100

/**
 * **What it does.** Divides the reads of tenants that a process works on. Rows that are read, decoded and encoded for
 * one tenant hold memory and the event loop, and more reads at once end no earlier.
 *
 * **Guarantees.** Six reads of a tenant are in progress, from the handler to the encoded reply. More wait, and tenants
 * take turns. While tenants contend for the event loop, one is in progress, and the next one begins as much later as it
 * has lasted. Of no service that a read calls is waited for without an end: each call has a time-out.
 *
 * **Not guaranteed.** Across replicas. A read with `waits` takes no permit: it holds nothing while it waits.
 */
export interface ReadPermits {
  /**
   * Runs a request, once it has a permit if it is a read. Rejects with rate_limited or service_unavailable without one.
   */
  run(endpoint: Endpoint, response: Response, work: () => Promise<void>): Promise<void>
}

export function createReadPermits(contention: Contention = createContention()): ReadPermits {
  const permits = createFairPermits({
    ...limits,
    perSubjectMax: () => (contention.isPresent() ? 1 : perTenantMax),
    rejectionOf: problemOfLimit('Too many reads are in progress'),
  })
  return {
    run: async ({ method, audience, waits }, response, work) => {
      const tenantId = response.locals.assertion?.tenantId ?? ''
      if (audience === 'tenant') contention.note(tenantId)
      if (method !== 'GET' || audience !== 'tenant' || waits === true) return work()
      const release = await permits.acquire(tenantId)
      const startedAt = performance.now()
      try {
        // A client that has left while it waited gets no response.
        if (!response.closed) await work()
      } finally {
        if (contention.isPresent()) setTimeout(release, Math.min(performance.now() - startedAt, restMsMax))
        else release()
      }
    },
  }
}
