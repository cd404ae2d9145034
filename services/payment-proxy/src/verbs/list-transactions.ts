import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { encodeCursor, idBefore, type Page, pageOfPart } from '@payments/contracts/grammar/page'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { snapshot, type Tx } from '../store/database.ts'
import { shownPart } from '../store/shown-transactions.ts'
import { searchTransactions } from '../store/transaction-search.ts'

export async function listTransactions(
  deps: Deps,
  caller: Caller,
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
  const { tenantId } = caller
  const findPart = async (tx: Tx) => {
    const { rows, searchedTo } = await searchTransactions(tx, tenantId, filter, now)
    const part = await shownPart(tx, tenantId, { ids: rows.map(({ id }) => id), limit, order: 'desc' })
    return { ...part, continuesAfter: part.continuesAfter ?? searchedTo }
  }
  const part = await deps.db.inTenant(tenantId, findPart, snapshot)
  return pageOfPart(part, encodeCursor, (transaction) => presentTransaction(transaction, now))
}
