import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { DataKeyStore, StoredDataKey } from '../src/data-key.ts'
import type { KeyRing } from '../src/key-ring.ts'

export interface MemoryStore extends DataKeyStore {
  readonly rows: StoredDataKey[]
  readonly calls: { current: number; find: number; insertUnlessRecent: number }
}

/** A table of data keys in memory. Asynchronous, as a database is. */
export function memoryStore(): MemoryStore {
  const rows: StoredDataKey[] = []
  const calls = { current: 0, find: 0, insertUnlessRecent: 0 }
  const newest = (tenantId: string) => rows.findLast((row) => row.tenantId === tenantId)
  return {
    rows,
    calls,
    async current(tenantId) {
      calls.current += 1
      await nextTick()
      return newest(tenantId)
    },
    async find(tenantId, id) {
      calls.find += 1
      await nextTick()
      return rows.find((row) => row.tenantId === tenantId && row.id === id)
    },
    async insertUnlessRecent(key, since) {
      calls.insertUnlessRecent += 1
      await nextTick()
      const stored = newest(key.tenantId)
      if (stored !== undefined && stored.createdAt >= since) return stored
      rows.push(key)
      return key
    },
  }
}

export function createRing(...ids: string[]): KeyRing {
  return new Map(ids.map((id) => [id, createSecretKey(randomBytes(32))]))
}
