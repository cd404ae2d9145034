import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { leaseOperation } from '../domain/lease.ts'
import { isLeased, type Operation } from '../domain/operation.ts'
import { presentToPayPage, replaceOperation, type TransactionAggregate } from '../domain/transaction.ts'
import { accessBooks, changeBooks, type FoundBooks, readBooks, requireFound } from './books.ts'
import type { LeasedOperation } from './start.ts'

interface Selected extends FoundBooks {
  /** Null when `select` selects none, or when other processes lease it. */
  readonly operation: Operation | null
}

/**
 * Leases the operation that `select` selects. The resume loop leases many at once, by SQL (`claimOperations` of
 * store/operations.ts). Throws transaction_not_found.
 */
export async function leaseSelected(
  deps: Deps,
  { tenantId, transactionId }: { readonly tenantId: string; readonly transactionId: string },
  select: (operations: readonly Operation[]) => Operation | undefined,
): Promise<Selected> {
  const access = accessBooks(deps.db, tenantId)
  const leased = await changeBooks(deps, access, { transactionId }, (books) => {
    const { aggregate: before, orchestrator } = requireFound(books)
    const selected = select(before.operations)
    if (selected === undefined) return { aggregate: before, operation: null, orchestrator, change: null }
    const operation = leaseOperation(selected, deps.now())
    const aggregate = replaceOperation(before, operation)
    return { aggregate, operation, orchestrator, change: { before, after: aggregate } }
  })
  return leased ?? { ...requireFound(await readBooks(access, { transactionId })), operation: null }
}

/** The payment that the parameters of a request name. */
export type InvitedPayment = Readonly<Record<'tenant_id' | 'transaction_id' | 'payment_id', string>>

/**
 * Leases a payment of an invitation if `applies`, and works on it. Returns the transaction as it is then. Throws
 * transaction_not_found, operation_not_found.
 */
export async function leaseInvitedPayment(
  deps: Deps,
  { tenant_id: tenantId, transaction_id: transactionId, payment_id: paymentId }: InvitedPayment,
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
