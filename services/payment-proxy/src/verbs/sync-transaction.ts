import type { Caller } from '@payments/chassis/caller'
import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import type { Deps } from '../deps.ts'
import { isInFlight, isLeased, type Operation } from '../domain/operation.ts'
import { presentTransaction, type TransactionAggregate } from '../domain/transaction.ts'
import { resumeOperation } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { leaseUntil } from '../operation/start.ts'
import { updateOperation } from '../store/operations.ts'
import { lockAggregate } from '../store/transaction-aggregates.ts'

/** Requests the outcome of the open operation from the provider. 200 when no operation is open afterwards, else 202. */
export async function syncTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
): Promise<TransactionResponse<200>> {
  const { aggregate, open } = await claimOpen(deps, caller, transactionId)
  if (open === null) return reply(deps, aggregate)
  const recorded = await resumeOperation(deps, aggregate, open)
  return reply(deps, recorded.aggregate)
}

/** Claims the open operation. Null when there is none, or when another process calls the provider for it. */
function claimOpen(
  deps: Deps,
  { tenantId }: Caller,
  transactionId: string,
): Promise<{ aggregate: TransactionAggregate; open: Operation | null }> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const aggregate = await lockAggregate(tx, tenantId, transactionId)
    if (aggregate === null) throw new Problem(problems.transaction_not_found)
    const now = deps.now()
    const open = aggregate.operations.find(isInFlight)
    if (open === undefined || isLeased(open, now)) return { aggregate, open: null }
    const claimed = { ...open, attemptCount: open.attemptCount + 1, dueAt: leaseUntil(now) }
    await updateOperation(tx, tenantId, claimed)
    return { aggregate, open: claimed }
  })
}

function reply(deps: Deps, aggregate: TransactionAggregate): TransactionResponse<200> {
  const body = presentTransaction(aggregate, deps.now())
  return { status: aggregate.operations.some(isInFlight) ? 202 : 200, body }
}
