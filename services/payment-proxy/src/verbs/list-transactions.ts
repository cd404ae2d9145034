import type { Caller } from '@payments/chassis/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/page'
import type { Transaction as TransactionReply } from '@payments/contracts/payment-proxy'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { operationsOf } from '../store/operations.ts'
import { findTransactions } from '../store/transactions.ts'

export async function listTransactions(
  deps: Deps,
  caller: Caller,
  query: PageQuery & { business_unit_id?: string | undefined; external_reference?: string | undefined },
): Promise<Page<TransactionReply>> {
  const { limit, business_unit_id: businessUnitId, external_reference: externalReference } = query
  const before = idBefore(query.cursor)
  const { transactions, operations } = await deps.db.inTenant(caller.tenantId, async (tx) => {
    const filter = { businessUnitId, externalReference, before, limit }
    const found = await findTransactions(tx, caller.tenantId, filter)
    const ids = found.slice(0, limit).map(({ id }) => id)
    return { transactions: found, operations: await operationsOf(tx, caller.tenantId, ids) }
  })
  const now = deps.now()
  return pageOf(transactions, limit, (transaction) =>
    presentTransaction(
      { transaction, operations: operations.filter((one) => one.transactionId === transaction.id) },
      now,
    ),
  )
}
