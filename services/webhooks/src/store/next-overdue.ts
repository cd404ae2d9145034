import { allTenants } from '@payments/chassis/database/scope'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { nextDueSql } from '@payments/chassis/database/waiting-tenants'
import { indexesOnlySql } from './delivery-state.ts'

const nextOverdueSql = nextDueSql('(SELECT min(sweep_at) FROM deliveries WHERE sweep_at IS NOT NULL)')

/** When the next delivery is overdue (`nextDueAt`), in one round trip: one probe of an index of each partition. */
export async function nextOverdue(db: Pick<Transactions<SqlTx>, 'pipelined'>): Promise<number | null> {
  const statements = [indexesOnlySql, nextOverdueSql].map((text) => ({ text, values: [] }))
  const [, found] = await db.pipelined<[object[], { dueMs: number | null }[]]>(allTenants, statements)
  return found[0]?.dueMs ?? null
}
