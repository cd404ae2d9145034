import type { Caller } from '@payments/chassis/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/page'
import { type Operation as OperationReply, problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import type { Deps } from '../deps.ts'
import { presentOperation } from '../domain/operation.ts'
import { findOperations } from '../store/operations.ts'
import { findTransaction } from '../store/transactions.ts'

/** Throws transaction_not_found. */
export async function listOperations(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<OperationReply>> {
  const before = idBefore(cursor)
  const operations = await deps.db.inTenant(caller.tenantId, async (tx) => {
    const transaction = await findTransaction(tx, caller.tenantId, transactionId)
    if (transaction === null) throw new Problem(problems.transaction_not_found)
    return findOperations(tx, caller.tenantId, transactionId, { before, limit })
  })
  const now = deps.now()
  return pageOf(operations, limit, (operation) => presentOperation(operation, now))
}
