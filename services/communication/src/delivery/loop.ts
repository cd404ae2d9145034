import { type Allowance, createTurns, type Turns } from '@payments/chassis/database/turns'
import { type Claim, type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import type { Claimed } from '../store/communications.ts'
import { type DeliverDeps, deliver } from './deliver.ts'

/** Many times the deadline of a call to a provider, so a claim of a live process does not expire. */
const leaseMs = 60_000

/**
 * **What it does.** Claims due messages of a queue and attempts them. Each queue has a loop.
 *
 * **Guarantees.**
 * 1. Two processes never hold a claim of the same message: a claim skips locked rows and sets a lease of 60 s.
 *    The attempts of a killed process are claimed again after the lease.
 * 2. Tenants take turns, and one has at most 4 attempts in progress per process. So the queue of one tenant, however
 *    long, delays the message of another one by the end of an attempt at most.
 *
 * **Not guaranteed.** Order.
 */
export function startDeliveryLoop(deps: DeliverDeps): ClaimLoop {
  const { table } = deps.queue
  const turns = createTurns(table)
  return startClaimLoop({
    name: table,
    nextDue: () => turns.nextDue(deps.db.crossTenant, deps.now()),
    claim: (allowance) => claimDue(deps, turns, allowance),
    attempt: (claimed) => deliver(deps, claimed),
    idsOf: ({ id, traceId }) => ({ communication_id: id, trace_id: traceId }),
    log: deps.log,
  })
}

export function claimDue(
  { db, queue, now }: Pick<DeliverDeps, 'db' | 'queue' | 'now'>,
  turns: Turns,
  allowance: Allowance,
): Promise<Claim<Claimed>> {
  const at = now()
  const leaseUntil = new Date(at.getTime() + leaseMs)
  return db.acrossTenants(async (tx) => {
    const { ids, mayBeMore } = await turns.lockDue(tx, at, allowance)
    return { claimed: ids.length === 0 ? [] : await queue.claim(tx, ids, leaseUntil), mayBeMore }
  })
}
