import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { chainOf, type PositionedRecord } from '../domain/chain.ts'
import { advanceHeads, lockChains } from '../store/chains.ts'
import { createPartitions } from '../store/partitions.ts'
import { findKnownIds, insertRecords } from '../store/records.ts'

/** Maximum difference between the clocks of a gateway and the database. */
const clockSkewMs = 24 * 60 * 60 * 1000

/**
 * Stores each record once at the next position of its chain, also when it is sent repeatedly. Returns the number of new
 * records. The chains are locked before stored ids are read, so a concurrent call with the same record finds it stored.
 */
export function storeRecords(deps: Pick<Deps, 'db'>, records: readonly AuditRecord[]): Promise<number> {
  const given = [...new Map(records.map((record) => [record.id, record])).values()].map((record) => ({
    id: record.id,
    tenantId: chainOf(record.tenant_id),
    record,
  }))
  if (given.length === 0) return Promise.resolve(0)
  return deps.db.acrossTenants(async (tx) => {
    await createPartitions(tx, 0)
    const chains = await lockChains(tx, [...new Set(given.map(({ tenantId }) => tenantId))])
    const heads = new Map(chains.map(({ tenantId, headPosition }) => [tenantId, Number(headPosition)]))
    const oldest = Math.min(...given.map(({ record }) => Date.parse(record.occurred_at)))
    const known = await findKnownIds(tx, given, new Date(oldest - clockSkewMs))
    const positioned: PositionedRecord[] = []
    for (const { id, tenantId, record } of given) {
      if (known.has(id)) continue
      const position = (heads.get(tenantId) ?? 0) + 1
      heads.set(tenantId, position)
      positioned.push({ position, record })
    }
    if (positioned.length === 0) return 0
    await insertRecords(tx, positioned)
    await advanceHeads(tx, heads)
    return positioned.length
  })
}
