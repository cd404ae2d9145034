import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { encodeCursor, idBefore, type Page, pageOfPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentToPayPage, presentTransaction } from '../domain/transaction.ts'
import { accessBooksWithin, readBooks, requireFound } from '../operation/books.ts'
import { snapshot } from '../store/database.ts'
import { searchTransactions } from '../store/transaction-search.ts'
import { findShown, lockTransaction, shownPart } from '../store/transactions.ts'

/** Throws transaction_not_found. */
export async function readTransaction(deps: Deps, caller: Caller, transactionId: string): Promise<TransactionReply> {
  const { tenantId } = caller
  const transaction = await deps.db.inTenant(tenantId, (tx) => findShown(tx, tenantId, transactionId), snapshot)
  if (transaction === null) throw new Problem(problems.transaction_not_found)
  return presentTransaction(transaction, deps.now())
}

export async function listTransactions(
  deps: Deps,
  { tenantId }: Caller,
  query: RequestOf<typeof paymentProxy.endpoints.listTransactions>['query'],
): Promise<Page<TransactionReply>> {
  const { limit } = query
  const now = deps.now()
  const filter = {
    status: query.status,
    pendingState: query.pending_state,
    search: query.search,
    businessUnitId: query.business_unit_id,
    paymentOrchestratorId: query.payment_orchestrator_id,
    externalReference: query.external_reference,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    amountMin: query.amount_min,
    amountMax: query.amount_max,
    before: idBefore(query.cursor),
    limit,
  }
  return deps.db.inTenant(
    tenantId,
    async (tx) => {
      const { rows, searchedTo } = await searchTransactions(tx, tenantId, filter, now)
      const part = await shownPart(tx, tenantId, { ids: rows.map(({ id }) => id), limit, order: 'desc' })
      const continued = { ...part, continuesAfter: part.continuesAfter ?? searchedTo }
      return pageOfPart(continued, encodeCursor, (transaction) => presentTransaction(transaction, now))
    },
    snapshot,
  )
}

/**
 * For the page of a payer. Waits for the lock of the transaction, so a payment whose `start_before` has passed is in
 * the response, or never starts: `payInvitation` reads the clock under this lock. Throws transaction_not_found.
 */
export function findTransaction(deps: Deps, tenantId: string, transactionId: string): Promise<TransactionReply> {
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockTransaction(tx, tenantId, transactionId)
    const { aggregate } = requireFound(await readBooks(accessBooksWithin(tx, tenantId), { transactionId }))
    return presentToPayPage(aggregate, deps.now())
  })
}
