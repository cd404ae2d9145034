import type { Deps } from '../deps.ts'
import { resumeOperation } from '../operation/execute.ts'
import { leaseUntil } from '../operation/start.ts'
import { claimDue } from '../store/operations.ts'
import { findAggregate } from '../store/transaction-aggregates.ts'

/** Operations resumed concurrently. Further due operations wait for the next run. */
const batchMax = 10

/** Resumes open operations whose lease expired or whose sync is due. Returns the number of claimed operations. */
export async function settleOpenOperations(deps: Deps): Promise<number> {
  const now = deps.now()
  const claimed = await deps.db.acrossTenants((tx) =>
    claimDue(tx, { now, leaseUntil: leaseUntil(now), limit: batchMax }),
  )
  const settled = await Promise.allSettled(
    claimed.map(async ({ id, tenantId, transactionId }) => {
      const aggregate = await deps.db.inTenant(tenantId, (tx) => findAggregate(tx, tenantId, transactionId))
      const operation = aggregate?.operations.find((candidate) => candidate.id === id)
      if (aggregate == null || operation === undefined) throw new Error(`operation ${id} does not exist`)
      await resumeOperation(deps, aggregate, operation)
    }),
  )
  throwFailures(settled)
  return claimed.length
}

/** Runs after all operations are settled. The claim of a failed operation expires, and a later run claims it again. */
function throwFailures(settled: readonly PromiseSettledResult<void>[]): void {
  const causes = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} operations could not be settled`)
}
