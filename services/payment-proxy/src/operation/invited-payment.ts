import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { isLeased, type Operation } from '../domain/operation.ts'
import { presentToPayPage, type TransactionAggregate } from '../domain/transaction.ts'
import { leaseSelected } from './claim.ts'
import type { LeasedOperation } from './start.ts'

export interface InvitedPayment {
  readonly tenantId: string
  readonly transactionId: string
  readonly paymentId: string
}

/**
 * Claims a payment of an invitation if `applies`, and works on it. Returns the transaction as it is then. Throws
 * transaction_not_found, operation_not_found.
 */
export async function leaseInvitedPayment(
  deps: Deps,
  { tenantId, transactionId, paymentId }: InvitedPayment,
  applies: (operation: Operation) => boolean,
  work: (leased: LeasedOperation) => Promise<TransactionAggregate>,
): Promise<TransactionReply> {
  const { operation, ...books } = await leaseSelected(deps, { tenantId, transactionId }, (operations) => {
    const found = operations.find(({ id }) => id === paymentId)
    if (found === undefined) throw new Problem(problems.operation_not_found)
    return applies(found) && !isLeased(found, deps.now()) ? found : undefined
  })
  return presentToPayPage(operation === null ? books.aggregate : await work({ ...books, operation }), deps.now())
}
