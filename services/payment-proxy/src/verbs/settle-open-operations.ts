import type { Deps } from '../deps.ts'
import { leaseUntil } from '../operation/begin.ts'
import { pursue } from '../operation/carry-out.ts'
import { findAccount } from '../store/accounts.ts'
import { claimDue } from '../store/operations.ts'

/** As many as are asked about side by side. What is beyond is due still at the next turn. */
const batchMax = 10

/** Finds out how operations ended whose lease ran out or that are to be asked about again. Returns how many it took. */
export async function settleOpenOperations(deps: Deps): Promise<number> {
  const now = deps.now()
  const claimed = await deps.db.acrossTenants((tx) =>
    claimDue(tx, { now, leaseUntil: leaseUntil(now), limit: batchMax }),
  )
  const settled = await Promise.allSettled(
    claimed.map(async ({ id, tenantId, transactionId }) => {
      const account = await deps.db.inTenant(tenantId, (tx) => findAccount(tx, tenantId, transactionId))
      const operation = account?.operations.find((candidate) => candidate.id === id)
      if (account == null || operation === undefined) throw new Error(`operation ${id} has vanished`)
      await pursue(deps, account, operation)
    }),
  )
  throwFailures(settled)
  return claimed.length
}

/** One that fails does not keep the others from being settled; its claim runs out and it is taken again. */
function throwFailures(settled: readonly PromiseSettledResult<void>[]): void {
  const causes = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} operations could not be settled`)
}
