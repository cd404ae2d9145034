import type { Turns } from '@payments/chassis/database/turns'
import type { Claim } from '@payments/chassis/process/claim-loop'
import type { Deps } from '../deps.ts'
import { resumeOperation } from '../operation/execute.ts'
import { leaseUntil } from '../operation/start.ts'
import type { WorkPermits } from '../operation/work-permits.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
import { type ClaimedOperation, claim } from '../store/operations.ts'
import { findAggregate } from '../store/transaction-aggregates.ts'

/**
 * Resumes open operations whose lease expired or whose sync is due, in turn among the tenants and as far as `permits`
 * allows, and does not wait for them. The claim of an operation that fails expires, and a later run claims it again.
 * Returns the number of claimed operations.
 */
export async function resumeOpenOperations(deps: Deps, permits: WorkPermits, turns: Turns): Promise<number> {
  let count = 0
  let mayBeMore = true
  while (mayBeMore && permits.hasFree()) {
    const found = await claimDue(deps, permits, turns)
    for (const claimed of found.claimed) permits.start(claimed.tenantId, () => resume(deps, claimed))
    count += found.claimed.length
    mayBeMore = found.mayBeMore || found.claimed.length > 0
  }
  return count
}

function claimDue({ db, now }: Deps, permits: WorkPermits, turns: Turns): Promise<Claim<ClaimedOperation>> {
  const at = now()
  return db.acrossTenants(async (tx) => {
    const { ids, mayBeMore } = await turns.lockDue(tx, at, permits.allowance())
    return { claimed: ids.length === 0 ? [] : await claim(tx, ids, leaseUntil(at)), mayBeMore }
  })
}

async function resume(deps: Deps, { id, tenantId, transactionId }: ClaimedOperation): Promise<void> {
  const execution = await deps.db.inTenant(tenantId, async (tx) => {
    const aggregate = await findAggregate(tx, tenantId, transactionId)
    const operation = aggregate?.operations.find((candidate) => candidate.id === id)
    if (aggregate == null || operation === undefined) throw new Error(`operation ${id} does not exist`)
    return { aggregate, operation, orchestrator: await findOrchestrator(tx, tenantId, aggregate.transaction) }
  })
  await resumeOperation(deps, execution)
}
