import type { Turns } from '@payments/chassis/database/turns'
import type { Claim } from '@payments/chassis/process/claim-loop'
import type { Deps } from '../deps.ts'
import { leaseUntil } from '../domain/lease.ts'
import { requireOperation } from '../domain/transaction.ts'
import { booksOf, readBooks, requireFound } from '../operation/books.ts'
import { resumeOperation } from '../operation/execute.ts'
import type { WorkPermits } from '../operation/work-permits.ts'
import { type ClaimedOperation, claim } from '../store/operations.ts'

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
  const found = requireFound(await readBooks(booksOf(deps.db, tenantId), { transactionId }))
  await resumeOperation(deps, { ...found, operation: requireOperation(found.aggregate, id) })
}
