import type { Deps } from '../deps.ts'
import { resumeOperation } from '../operation/execute.ts'
import { leaseUntil } from '../operation/start.ts'
import type { WorkPermits } from '../operation/work-permits.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
import { type ClaimedOperation, claimDue } from '../store/operations.ts'
import { findAggregate } from '../store/transaction-aggregates.ts'

/**
 * Resumes open operations whose lease expired or whose sync is due, as far as `permits` allows, and does not wait for
 * them. The claim of an operation that fails expires, and a later run claims it again. Returns the number of claimed
 * operations.
 */
export async function resumeOpenOperations(deps: Deps, permits: WorkPermits): Promise<number> {
  let count = 0
  while (permits.hasFree()) {
    const now = deps.now()
    const claim = { now, leaseUntil: leaseUntil(now), exceptTenants: permits.busyTenants() }
    const claimed = await deps.db.acrossTenants((tx) => claimDue(tx, claim))
    if (claimed === null) break
    count += 1
    permits.start(claimed.tenantId, () => resume(deps, claimed))
  }
  return count
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
