import type { Caller } from '@payments/chassis/base/caller'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen } from '../domain/operation.ts'
import { refundsToSync } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import type { FoundBooks } from '../operation/books.ts'
import { resumeOperation, sendOperation } from '../operation/execute.ts'
import { leaseSelected } from '../operation/lease.ts'
import { recordOutcome } from '../operation/record.ts'
import { currentResponse, type TransactionResponse } from '../operation/response.ts'

/**
 * Requests the outcomes of the open operation, and of refunds that can fail later, from the provider. 200
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
  const { operation, ...books } = await leaseSelected(deps, { tenantId, transactionId }, (operations) =>
    operations.find((one) => isOpen(one) && !isLeased(one, deps.now())),
  )
  const aggregate = operation === null ? books.aggregate : await resumeOperation(deps, { ...books, operation })
  return currentResponse(await syncRefunds(deps, { ...books, aggregate }), deps.now())
}

/** Returns the latest state of the transaction. */
async function syncRefunds(deps: Deps, { aggregate, orchestrator }: FoundBooks): Promise<TransactionAggregate> {
  const refunds = refundsToSync(aggregate.operations, deps.now())
  if (refunds.length === 0 || orchestrator === null) return aggregate
  const outcomes = await Promise.all(
    refunds.map((operation) => sendOperation(deps, { aggregate, operation, orchestrator }, { kind: 'sync' })),
  )
  let latest = aggregate
  // In turn: each reversal changes the version of the transaction.
  for (const [index, operation] of refunds.entries()) {
    const outcome = outcomes[index]
    if (outcome !== undefined) latest = (await recordOutcome(deps, operation, { outcome })).aggregate
  }
  return latest
}
