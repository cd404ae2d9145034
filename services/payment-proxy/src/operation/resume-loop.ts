import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import type { Deps } from '../deps.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
import { type ClaimedOperation, claim } from '../store/operations.ts'
import { findAggregate } from '../store/transaction-aggregates.ts'
import { resumeOperation } from './execute.ts'
import { leaseMs } from './start.ts'
import { workLimits } from './work-permits.ts'

/** Resumes open operations whose lease expired or whose sync is due (claim-loop.ts of the chassis). */
export function startResumeLoop(deps: Deps): ClaimLoop {
  const { db, now, log } = deps
  return startClaimLoop({
    name: 'open operations',
    db,
    turns: createTurns('operations'),
    claim,
    leaseMs,
    now,
    attempt: (claimed) => resume(deps, claimed),
    idsOf: ({ id, tenantId }) => ({ operation_id: id, tenant_id: tenantId }),
    ...workLimits,
    commits: db.commits,
    log,
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
