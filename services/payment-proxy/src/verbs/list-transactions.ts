import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { idBefore, type Page, pageOf } from '@payments/contracts/grammar/page'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { snapshot, type Tx } from '../store/database.ts'
import { operationsOf } from '../store/operations.ts'
import { findTransactions } from '../store/transactions.ts'

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
  const findWithOperations = async (tx: Tx) => {
    const found = await findTransactions(tx, tenantId, filter, now)
    const ids = found.slice(0, limit).map(({ id }) => id)
    return { transactions: found, operations: await operationsOf(tx, tenantId, ids) }
  }
  const { transactions, operations } = await deps.db.inTenant(tenantId, findWithOperations, snapshot)
  return pageOf(transactions, limit, (transaction) =>
    presentTransaction(
      { transaction, operations: operations.filter((one) => one.transactionId === transaction.id) },
      now,
    ),
  )
}
