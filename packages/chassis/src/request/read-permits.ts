import type { Endpoint } from '@payments/contracts/grammar/contract'
import type { Response } from 'express'
import { createFairPermits, limitProblem } from '../base/fair-permits.ts'
import { readSender } from './sender.ts'

const limits = { permitsMax: 64, perSubjectMax: 6, perMemberMax: 4, waitingMax: 512, waitMsMax: 10_000 }

/**
 * **What it does.** Divides the reads of tenants that a process works on. Rows that are read, decoded and encoded for
 * one tenant hold memory and the event loop, and more reads at once end no earlier.
 *
 * **Guarantees.** Six reads of a tenant are in progress, four of one credential, from the handler to the encoded
 * reply; a change that counts rows first is one of them. More wait: tenants take turns, and so do the credentials of
 * each. A call of a read to another service has a time-out, so no permit is held for ever.
 *
 * **Not guaranteed.** Across replicas. A read with `waits` takes no permit: it holds nothing while it waits.
 */
export function createReadPermits() {
  const permits = createFairPermits({ ...limits, createRejection: limitProblem('Too many reads are in progress') })
  return {
    /**
     * Runs a request, once it has a permit if it is a read. Rejects with rate_limited or service_unavailable without
     * one.
     */
    run(endpoint: Endpoint, response: Response, work: () => Promise<void>): Promise<void> {
      if (!isRead(endpoint)) return work()
      // A client that has left while it waited gets no response.
      const unlessLeft = async () => (response.closed ? undefined : work())
      const { tenantId, member } = readSender(response)
      return permits.run(tenantId, unlessLeft, member)
    },
  }
}

const isRead = ({ method, audience, waits, countsRows }: Endpoint) =>
  audience === 'tenant' && (method === 'GET' ? waits !== true : countsRows === true)
