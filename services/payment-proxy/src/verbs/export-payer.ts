import { type Exported, type ExportQuery, exportedOf } from '@payments/contracts/endpoints/payer-export'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { listPayerTransactions } from '../store/payers.ts'
import { listAggregates } from '../store/transaction-aggregates.ts'

/** For operators: the transactions of a payer of a tenant, with their operations. */
export async function exportPayer(
  deps: Pick<Deps, 'db' | 'now'>,
  tenantId: string,
  { recipient, after, limit }: ExportQuery,
): Promise<Exported<TransactionReply>> {
  const query = { address: addressOf(recipient), after, limit }
  return deps.db.readInTenant(tenantId, async (tx) => {
    const found = await listPayerTransactions(tx, tenantId, query)
    const aggregates = await listAggregates(tx, tenantId, found)
    return exportedOf(
      aggregates.map((aggregate) => presentTransaction(aggregate, deps.now())),
      limit,
    )
  })
}
