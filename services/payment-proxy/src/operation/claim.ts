import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { claimed, type Operation } from '../domain/operation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
import { updateOperation } from '../store/operations.ts'
import { requireLockedAggregate } from '../store/transaction-aggregates.ts'
import { leaseUntil } from './start.ts'

interface Claimed {
  readonly aggregate: TransactionAggregate
  /** Null when `select` selects none, or when another process claimed the operation. */
  readonly claimed: Operation | null
  readonly orchestrator: PaymentOrchestrator | null
}

/** Claims the operation that `select` selects, under the lock of the transaction. Throws transaction_not_found. */
export function claimOperation(
  deps: Deps,
  { tenantId, transactionId }: { readonly tenantId: string; readonly transactionId: string },
  select: (operations: readonly Operation[]) => Operation | undefined,
): Promise<Claimed> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const aggregate = await requireLockedAggregate(tx, tenantId, transactionId)
    const orchestrator = await findOrchestrator(tx, tenantId, aggregate.transaction)
    const selected = select(aggregate.operations)
    if (selected === undefined) return { aggregate, claimed: null, orchestrator }
    const operation = claimed(selected, leaseUntil(deps.now()))
    const isClaimed = await updateOperation(tx, tenantId, selected, operation)
    return { aggregate, claimed: isClaimed ? operation : null, orchestrator }
  })
}
