import type { AuditRecord } from '@payments/contracts/audit'
import type { Deps } from '../deps.ts'
import { chainOf, type PlacedRecord } from '../domain/chain.ts'
import { advanceHeads, lockChains } from '../store/chains.ts'
import { makePartitions } from '../store/partitions.ts'
import { findKnownIds, insertRecords } from '../store/records.ts'

/** A gateway's clock may be this far ahead of the database's. */
const clockSkewMs = 24 * 60 * 60 * 1000

/**
 * Stores each record once, however often it is sent, at the next position of its tenant's chain. Returns how many were new.
 * The chains are locked before anything is looked up, so of two that bring the same record one sees the other's.
 */
export function storeRecords(deps: Pick<Deps, 'db'>, records: readonly AuditRecord[]): Promise<number> {
  const given = [...new Map(records.map((record) => [record.id, record])).values()].map((record) => ({
    id: record.id,
    tenantId: chainOf(record.tenant_id),
    record,
  }))
  if (given.length === 0) return Promise.resolve(0)
  return deps.db.acrossTenants(async (tx) => {
    await makePartitions(tx, 0)
    const chains = await lockChains(tx, [...new Set(given.map(({ tenantId }) => tenantId))])
    const heads = new Map(chains.map(({ tenantId, headPosition }) => [tenantId, Number(headPosition)]))
    const oldest = Math.min(...given.map(({ record }) => Date.parse(record.occurred_at)))
    const known = await findKnownIds(tx, given, new Date(oldest - clockSkewMs))
    const placed: PlacedRecord[] = []
    for (const { id, tenantId, record } of given) {
      if (known.has(id)) continue
      const position = (heads.get(tenantId) ?? 0) + 1
      heads.set(tenantId, position)
      placed.push({ position, record })
    }
    if (placed.length === 0) return 0
    await insertRecords(tx, placed)
    await advanceHeads(tx, heads)
    return placed.length
  })
}
