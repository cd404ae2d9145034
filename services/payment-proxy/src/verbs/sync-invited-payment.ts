import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { isOpen } from '../domain/operation.ts'
import { resumeOperation } from '../operation/execute.ts'
import { type InvitedPayment, leaseInvitedPayment } from '../operation/lease.ts'

/**
 * Requests the outcome of a payment from the provider, unless it has one. Throws transaction_not_found,
 * operation_not_found.
 */
export function syncInvitedPayment(deps: Deps, payment: InvitedPayment): Promise<TransactionReply> {
  return leaseInvitedPayment(deps, payment, isOpen, (leased) => resumeOperation(deps, leased))
}
