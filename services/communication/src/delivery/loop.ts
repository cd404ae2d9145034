import { type ClaimLoop, startClaimLoop } from '@payments/chassis/claim-loop'
import { claimDue } from '../store/communications.ts'
import { type DeliverDeps, deliver } from './deliver.ts'

/** Many times the deadline of a call to a provider, so a claim of a live process does not expire. */
const leaseMs = 60_000

/**
 * **What it does.** Claims due communications and attempts them.
 *
 * **Participants.** Verbs, which queue communications and wake the loop; loops of other processes; deliver.ts; the loop
 * of packages/chassis/src/claim-loop.ts.
 *
 * **Guarantees.** Two processes never hold a claim of the same communication: a claim skips locked rows and sets a
 * lease of 60 s. The attempts of a killed process are claimed again after the lease.
 *
 * **Not guaranteed.** Order, and fairness between tenants: the communication that has been due longest is first.
 */
export function startDeliveryLoop(deps: DeliverDeps): ClaimLoop {
  return startClaimLoop({
    name: 'communications',
    claim: (limit) => {
      const now = deps.now()
      const leaseUntil = new Date(now.getTime() + leaseMs)
      return deps.db.acrossTenants((tx) => claimDue(tx, { now, leaseUntil, limit }))
    },
    attempt: (claimed) => deliver(deps, claimed),
    idsOf: ({ id, traceId }) => ({ communication_id: id, trace_id: traceId }),
    log: deps.log,
  })
}
