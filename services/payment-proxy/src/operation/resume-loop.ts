import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import type { Deps } from '../deps.ts'
import { leaseMs } from '../domain/lease.ts'
import { requireOperation } from '../domain/transaction.ts'
import { type ClaimedOperation, claimOperations } from '../store/operations.ts'
import { accessBooks, readBooks, requireFound } from './books.ts'
import { resumeOperation } from './execute.ts'
import { workLimits } from './work-permits.ts'

/** Resumes open operations whose lease expired or whose sync is due (claim-loop.ts of the chassis). */
export function startResumeLoop(deps: Deps): ClaimLoop {
  const { db, now, log } = deps
  return startClaimLoop({
    name: 'open operations',
    db,
    turns: createTurns('operations'),
    claim: claimOperations,
    leaseMs,
    now,
    attempt: (claimed) => resume(deps, claimed),
    logFields: ({ id, tenantId }) => ({ operation_id: id, tenant_id: tenantId }),
    ...workLimits,
    signals: db.commits,
    log,
  })
}

async function resume(deps: Deps, { id, tenantId, transactionId }: ClaimedOperation): Promise<void> {
  const found = requireFound(await readBooks(accessBooks(deps.db, tenantId), { transactionId }))
  await resumeOperation(deps, { ...found, operation: requireOperation(found.aggregate, id) })
}
