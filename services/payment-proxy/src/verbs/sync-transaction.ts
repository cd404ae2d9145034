import type { Caller } from '@payments/chassis/base/caller'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen } from '../domain/operation.ts'
import { refundsToSync } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { claimOperation } from '../operation/claim.ts'
import { executeOperation, resumeOperation } from '../operation/execute.ts'
import { currentResponse, type TransactionResponse } from '../operation/response.ts'

/**
 * Requests the outcome of the open operation from the provider, and those of refunds that can fail later. 200
 * when no operation is open afterwards, else 202.
 */
export async function syncTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
): Promise<TransactionResponse<200>> {
  const { tenantId } = caller
  const { aggregate, claimed, orchestrator } = await claimOperation(deps, { tenantId, transactionId }, (operations) =>
    operations.find((operation) => isOpen(operation) && !isLeased(operation, deps.now())),
  )
  const resumed =
    claimed === null
      ? aggregate
      : (await resumeOperation(deps, { aggregate, operation: claimed, orchestrator })).aggregate
  return currentResponse(await syncRefunds(deps, resumed, orchestrator), deps.now())
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
