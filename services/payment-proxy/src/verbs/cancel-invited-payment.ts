import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { awaitsPayer, isLeased, type Operation } from '../domain/operation.ts'
import { instructProvider } from '../operation/execute.ts'
import { type InvitedPayment, leaseInvitedPayment } from '../operation/lease.ts'

/**
 * Cancels a payment that waits for the payer at the provider, whose outcome decides. A payment in another state is not
 * changed. Throws transaction_not_found, operation_not_found; operation_in_progress while another process calls the
 * provider about the payment.
 */
export function cancelInvitedPayment(deps: Deps, payment: InvitedPayment): Promise<TransactionReply> {
  const applies = (operation: Operation) => {
    const waits = awaitsPayer(operation)
    if (waits && isLeased(operation, deps.now())) {
      throw new Problem(problems.operation_in_progress, { retryAfterSeconds: 1 })
    }
    return waits
  }
  return leaseInvitedPayment(deps, payment, applies, (leased) =>
    instructProvider(deps, leased, { kind: 'cancel', reason: 'requested' }),
  )
}
