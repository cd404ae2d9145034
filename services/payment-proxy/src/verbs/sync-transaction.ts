import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen, type Operation } from '../domain/operation.ts'
import { refundsToSync } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeOperation, resumeOperation } from '../operation/execute.ts'
import { currentResponse, type TransactionResponse } from '../operation/response.ts'
import { leaseUntil } from '../operation/start.ts'
import { updateOperation } from '../store/operations.ts'
import { requireLockedAggregate } from '../store/transaction-aggregates.ts'

/**
 * Requests the outcome of the open operation from the provider, and those of refunds that can fail later. 200
 * when no operation is open afterwards, else 202.
 */
export async function syncTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
): Promise<TransactionResponse<200>> {
  const { aggregate, open } = await claimOpen(deps, caller, transactionId)
  const resumed = open === null ? aggregate : (await resumeOperation(deps, aggregate, open)).aggregate
  return currentResponse(await syncRefunds(deps, caller, resumed), deps.now())
}

/** Claims the open operation. Null when there is none, or when another process calls the provider for it. */
function claimOpen(
  deps: Deps,
  { tenantId }: Caller,
  transactionId: string,
): Promise<{ aggregate: TransactionAggregate; open: Operation | null }> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const aggregate = await requireLockedAggregate(tx, tenantId, transactionId)
    const now = deps.now()
    const open = aggregate.operations.find(isOpen)
    if (open === undefined || isLeased(open, now)) return { aggregate, open: null }
    const claimed = { ...open, attemptCount: open.attemptCount + 1, dueAt: leaseUntil(now) }
    const isClaimed = await updateOperation(tx, tenantId, open, claimed)
    return { aggregate, open: isClaimed ? claimed : null }
  })
}

/** Returns the latest state of the transaction. */
async function syncRefunds(deps: Deps, caller: Caller, aggregate: TransactionAggregate): Promise<TransactionAggregate> {
  const refunds = refundsToSync(aggregate.operations, deps.now())
  if (refunds.length === 0) return aggregate
  const { businessUnitId, paymentOrchestratorId } = aggregate.transaction
  const { paymentOrchestrators } = await deps.units.find(caller, businessUnitId)
  const orchestrator = paymentOrchestrators.find(({ id }) => id === paymentOrchestratorId)
  if (orchestrator === undefined) return aggregate
  if (!deps.provider.capabilitiesOf(orchestrator.payment_gateway).refundsFailLater) return aggregate
  const recorded = await Promise.all(
    refunds.map((operation) => executeOperation(deps, { aggregate, operation }, { kind: 'sync' })),
  )
  return recorded
    .map((one) => one.aggregate)
    .reduce((latest, one) => (one.transaction.version > latest.transaction.version ? one : latest), aggregate)
}
