import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import type { ListPart } from '@payments/contracts/grammar/page'
import type { ShownTransaction } from '../domain/transaction.ts'
import type { Tx } from './database.ts'
import { findShownOperations, shownBytes } from './operations.ts'
import { toTransaction } from './transactions.ts'

export async function findShown(tx: Tx, tenantId: string, transactionId: string): Promise<ShownTransaction | null> {
  return (await listShown(tx, tenantId, [transactionId], 'asc'))[0] ?? null
}

const sized: SizedTable = {
  table: 'transactions',
  bytes: `${bytesSql(['items', 'customer_details', 'metadata', 'invitation'])}
    + (SELECT coalesce(sum(${shownBytes}), 0) FROM operations AS o
       WHERE o.tenant_id = transactions.tenant_id AND o.transaction_id = transactions.id)`,
}

interface Listed {
  readonly ids: readonly string[]
  readonly limit: number
  /** Of the ids. */
  readonly order: 'asc' | 'desc'
}

/** Part of a list of transactions. `ids`: one more than `limit`, where the list has more; unknown ids are skipped. */
export function shownPart(
  tx: Tx,
  tenantId: string,
  { order, ...list }: Listed,
): Promise<ListPart<ShownTransaction, string>> {
  return partOfList(tx, tenantId, { of: sized, ...list }, (ids) => listShown(tx, tenantId, ids, order))
}

async function listShown(tx: Tx, tenantId: string, ids: string[], order: Listed['order']): Promise<ShownTransaction[]> {
  const rows = await tx.transaction.findMany({ where: { tenantId, id: { in: ids } }, orderBy: { id: order } })
  const operations = await findShownOperations(tx, tenantId, ids)
  return rows.map((row) => ({ transaction: toTransaction(row), operations: operations.get(row.id) ?? [] }))
}
