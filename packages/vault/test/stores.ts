import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { DataKeyStore, RestingDataKey } from '../src/data-key.ts'
import type { KeyRing } from '../src/key-ring.ts'

export interface MemoryStore extends DataKeyStore {
  readonly rows: RestingDataKey[]
  readonly asked: { current: number; find: number; settle: number }
}

/** A table of data keys that answers a turn later, as a database would. */
export function memoryStore(): MemoryStore {
  const rows: RestingDataKey[] = []
  const asked = { current: 0, find: 0, settle: 0 }
  const newest = (tenantId: string) => rows.findLast((row) => row.tenantId === tenantId)
  return {
    rows,
    asked,
    async current(tenantId) {
      asked.current += 1
      await turn()
      return newest(tenantId)
    },
    async find(tenantId, id) {
      asked.find += 1
      await turn()
      return rows.find((row) => row.tenantId === tenantId && row.id === id)
    },
    async settle(key, since) {
      asked.settle += 1
      await turn()
      const resting = newest(key.tenantId)
      if (resting !== undefined && resting.createdAt >= since) return resting
      rows.push(key)
      return key
    },
  }
}

export function ringOf(...ids: string[]): KeyRing {
  return new Map(ids.map((id) => [id, createSecretKey(randomBytes(32))]))
}
