import type { Caller } from '@payments/chassis/base/caller'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen, type Operation } from '../domain/operation.ts'
import { refundsToSync } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeOperation, resumeOperation } from '../operation/execute.ts'
import { currentResponse, type TransactionResponse } from '../operation/response.ts'
import { type Execution, leaseUntil } from '../operation/start.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
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
  const { aggregate, open, orchestrator } = await claimOpen(deps, caller, transactionId)
  const resumed =
    open === null ? aggregate : (await resumeOperation(deps, { aggregate, operation: open, orchestrator })).aggregate
  return currentResponse(await syncRefunds(deps, resumed, orchestrator), deps.now())
}

/** Claims the open operation. Null when there is none, or when another process calls the provider for it. */
function claimOpen(
  deps: Deps,
  { tenantId }: Caller,
  transactionId: string,
): Promise<Omit<Execution, 'operation'> & { open: Operation | null }> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const aggregate = await requireLockedAggregate(tx, tenantId, transactionId)
    const orchestrator = await findOrchestrator(tx, tenantId, aggregate.transaction)
    const now = deps.now()
    const open = aggregate.operations.find(isOpen)
    if (open === undefined || isLeased(open, now)) return { aggregate, open: null, orchestrator }
    const claimed = { ...open, attemptCount: open.attemptCount + 1, dueAt: leaseUntil(now) }
    const isClaimed = await updateOperation(tx, tenantId, open, claimed)
    return { aggregate, open: isClaimed ? claimed : null, orchestrator }
  })
}

/** Returns the latest state of the transaction. */
async function syncRefunds(
  deps: Deps,
  aggregate: TransactionAggregate,
  orchestrator: PaymentOrchestrator | null,
): Promise<TransactionAggregate> {
  const refunds = refundsToSync(aggregate.operations, deps.now())
  if (refunds.length === 0 || orchestrator === null) return aggregate
  if (!deps.provider.capabilitiesOf(orchestrator.payment_gateway).refundsFailLater) return aggregate
  const recorded = await Promise.all(
    refunds.map((operation) => executeOperation(deps, { aggregate, operation, orchestrator }, { kind: 'sync' })),
  )
  return recorded
    .map((one) => one.aggregate)
    .reduce((latest, one) => (one.transaction.version > latest.transaction.version ? one : latest), aggregate)
}
