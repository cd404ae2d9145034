import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentToPayPage } from '../domain/transaction.ts'
import { accessBooksWithin, readBooks, requireFound } from '../operation/books.ts'
import { lockTransaction } from '../store/transactions.ts'

/**
 * Waits for the lock of the transaction. So a payment whose `start_before` has passed is in the response, or never
 * starts: `payInvitation` reads the clock under this lock. Throws transaction_not_found.
 */
export function findTransaction(deps: Deps, tenantId: string, transactionId: string): Promise<TransactionReply> {
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockTransaction(tx, tenantId, transactionId)
    const { aggregate } = requireFound(await readBooks(accessBooksWithin(tx, tenantId), { transactionId }))
    return presentToPayPage(aggregate, deps.now())
  })
}
