import type { Exported, ExportQuery } from '@payments/contracts/endpoints/payer-export'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { listPayerTransactions } from '../store/payers.ts'
import { shownPart } from '../store/transactions.ts'

/** For operators: the transactions of a payer of a tenant, with their operations. */
export async function exportPayer(
  deps: Pick<Deps, 'db' | 'now'>,
  tenantId: string,
  { recipient, after, limit }: ExportQuery,
): Promise<Exported<TransactionReply>> {
  const page = { tenantId, address: normalizeAddress(recipient), position: after, limit }
  return deps.db.readInTenant(tenantId, async (tx) => {
    const { ids, position } = await listPayerTransactions(tx, page)
    const { rows, continuesAfter } = await shownPart(tx, tenantId, { ids, limit, order: 'asc' })
    const data = rows.map((transaction) => presentTransaction(transaction, deps.now()))
    return { data, next_after: continuesAfter ?? position }
  })
}
