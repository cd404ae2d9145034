import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { waitsForPayer } from '../domain/operation.ts'
import { executeOperation } from '../operation/execute.ts'
import { endInvitedPayment, type InvitedPayment } from '../operation/invited-payment.ts'

/**
 * Cancels a payment that waits for the payer at the provider, whose outcome decides. A payment in another state is not
 * changed. Throws transaction_not_found, operation_not_found.
 */
export function cancelInvitedPayment(deps: Deps, payment: InvitedPayment): Promise<TransactionReply> {
  return endInvitedPayment(deps, payment, waitsForPayer, (execution) =>
    executeOperation(deps, execution, { kind: 'cancel', reason: 'requested' }),
  )
}
