import type { Caller } from '@payments/chassis/base/caller'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
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
 * when no operation is open afterwards, else 202. Throws transaction_not_found, and rate_limited for a transaction that
 * is synced too often: each sync calls the provider, and requires no more than a permission to read.
 */
export async function syncTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
): Promise<TransactionResponse<200>> {
  const { tenantId } = caller
  const retryAfterSeconds = deps.secondsToSync(`${tenantId} ${transactionId}`)
  if (retryAfterSeconds > 0) {
    const detail = 'The transaction is synced too often'
    throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
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
