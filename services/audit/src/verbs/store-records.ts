import { allTenants } from '@payments/chassis/database/scope'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { toChainId } from '../domain/chain.ts'
import { formatDay } from '../domain/seal.ts'
import { lockChains } from '../store/chains.ts'
import { createPartitionOfToday } from '../store/partitions.ts'
import { insertRecords } from '../store/records.ts'

/** Maximum difference between the clocks of a gateway and the database. */
const clockSkewMs = 24 * 60 * 60 * 1000

/**
 * Stores each record once at the next position of its chain, also when it is sent repeatedly. Returns the number of new
 * records. One round trip: the chains are locked before the statement that searches for stored ids begins, so that
 * statement finds the records of every transaction before it.
 */
export async function storeRecords(deps: Pick<Deps, 'db'>, records: readonly AuditRecord[]): Promise<number> {
  const given = [...new Map(records.map((record) => [record.id, record])).values()]
  if (given.length === 0) return 0
  const tenantIds = new Set(given.map(({ tenant_id: tenantId }) => toChainId(tenantId)))
  const oldest = given.reduce((least, record) => Math.min(least, Date.parse(record.occurred_at)), Date.now())
  const since = formatDay(new Date(oldest - clockSkewMs))
  const statements = [createPartitionOfToday, ...lockChains([...tenantIds]), insertRecords(given, since)]
  const results = await deps.db.pipelined<{ stored: number }[][]>(allTenants, statements)
  return results.at(-1)?.[0]?.stored ?? 0
}
