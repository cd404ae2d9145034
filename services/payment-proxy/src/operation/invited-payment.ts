import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { isLeased, type Operation } from '../domain/operation.ts'
import { presentToPayPage, type TransactionAggregate } from '../domain/transaction.ts'
import { claimOperation } from './claim.ts'
import type { Execution } from './start.ts'

export interface InvitedPayment {
  readonly tenantId: string
  readonly transactionId: string
  readonly paymentId: string
}

/**
 * Claims a payment of an invitation if `applies`, and works on it. Returns the transaction as it is then. Throws
 * transaction_not_found, operation_not_found.
 */
export async function claimInvitedPayment(
  deps: Deps,
  { tenantId, transactionId, paymentId }: InvitedPayment,
  applies: (operation: Operation) => boolean,
  work: (execution: Execution) => Promise<{ readonly aggregate: TransactionAggregate }>,
): Promise<TransactionReply> {
  const { aggregate, claimed, orchestrator } = await claimOperation(deps, { tenantId, transactionId }, (operations) => {
    const found = operations.find(({ id }) => id === paymentId)
    if (found === undefined) throw new Problem(problems.operation_not_found)
    return applies(found) && !isLeased(found, deps.now()) ? found : undefined
  })
  const ended = claimed === null ? aggregate : (await work({ aggregate, operation: claimed, orchestrator })).aggregate
  return presentToPayPage(ended, deps.now())
}
