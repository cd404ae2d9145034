import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Operation as OperationReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentOperation } from '../domain/operation.ts'
import { findOperations } from '../store/operations.ts'
import { requireTransaction } from '../store/transactions.ts'

/** Throws transaction_not_found. */
export async function listOperations(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<OperationReply>> {
  const before = idBefore(cursor)
  const operations = await deps.db.readInTenant(caller.tenantId, async (tx) => {
    await requireTransaction(tx, caller.tenantId, transactionId)
    return findOperations(tx, caller.tenantId, transactionId, { before, limit })
  })
  const now = deps.now()
  return toPage(operations, limit, (operation) => presentOperation(operation, now))
}
