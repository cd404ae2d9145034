import { LRUCache } from 'lru-cache'

/**
 * A cache bounded in entries and bytes: the least recently used entry is evicted. A tenant has at most a quarter of the
 * bytes. Beyond it, its least recently used entries are evicted until it has half of its share, so that a search for
 * them is rare.
 */
interface SizedCache<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  bytes(): number
}

export interface SizedCacheOptions<V> {
  readonly entriesMax: number
  readonly bytesMax: number
  /** The bytes that an entry keeps. Returns the same number each time for the same entry. */
  readonly measureBytes: (value: V, key: string) => number
  readonly readTenantId: (value: V) => string
  /** Called with each entry that leaves the cache. */
  readonly dispose?: (value: V, key: string) => void
}

const tenantShare = 0.25

export function createSizedCache<V extends object>(options: SizedCacheOptions<V>): SizedCache<V> {
  const { entriesMax, bytesMax, measureBytes, readTenantId, dispose } = options
  const bytesOfTenants = new Map<string, number>()
  const tenantBytesMax = bytesMax * tenantShare
  const add = (tenantId: string, bytes: number): number => {
    const total = (bytesOfTenants.get(tenantId) ?? 0) + bytes
    if (total > 0) bytesOfTenants.set(tenantId, total)
    else bytesOfTenants.delete(tenantId)
    return total
  }
  const entries = new LRUCache<string, V>({
    max: entriesMax,
    maxSize: bytesMax,
    // An entry that alone exceeds the share is not cached.
    maxEntrySize: tenantBytesMax,
    sizeCalculation: measureBytes,
    dispose: (value, key) => {
      add(readTenantId(value), -measureBytes(value, key))
      dispose?.(value, key)
    },
  })
  const shrink = (tenantId: string) => {
    for (const key of entries.rkeys()) {
      const value = entries.peek(key)
      if (value === undefined || readTenantId(value) !== tenantId) continue
      entries.delete(key)
      if ((bytesOfTenants.get(tenantId) ?? 0) <= tenantBytesMax / 2) return
    }
  }
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      if (entries.get(key) === value) return
      const bytes = measureBytes(value, key)
      if (bytes > tenantBytesMax) return void entries.delete(key)
      const tenantId = readTenantId(value)
      if (add(tenantId, bytes) > tenantBytesMax) shrink(tenantId)
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    bytes: () => entries.calculatedSize,
  }
}

/** Of the objects around the texts of an entry, in V8. */
const entryBytes = 300
const textOverheadBytes = 24

/** The bytes of an entry with these texts. */
export function bytesOfTexts(...texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + textOverheadBytes + Buffer.byteLength(text), entryBytes)
}
