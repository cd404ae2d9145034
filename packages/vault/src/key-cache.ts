import { LRUCache } from 'lru-cache'

export interface KeyCacheOptions {
  readonly entriesMax: number
  /** Longest life of an entry. Undefined: until it is evicted. */
  readonly lifeMs?: number | undefined
  readonly now?: () => number
}

interface Entry<V> {
  readonly value: Promise<V>
  readonly loadedAt: number
  /** When the next call loads the value again in the background. Infinity while that load is in progress. */
  refreshAt: number
}

/** Time between a failed load in the background and the next. */
const refreshPauseMs = 30_000

/**
 * Loads are shared by concurrent callers, and a failed load is not cached. An entry past half of its life is loaded
 * again in the background, with a pause after a failure. So an outage shorter than half a life is not noticed for
 * entries in use.
 */
export function keyCache<V>({ entriesMax, lifeMs, now = () => performance.now() }: KeyCacheOptions) {
  const entries = new LRUCache<string, Entry<V>>({ max: entriesMax })

  const insert = (key: string, value: Promise<V>, loadedAt: number) => {
    const refreshAt = lifeMs === undefined ? Number.POSITIVE_INFINITY : loadedAt + lifeMs / 2
    const entry = { value, loadedAt, refreshAt }
    entries.set(key, entry)
    return entry
  }

  const refresh = async (key: string, entry: Entry<V>, load: () => Promise<V>) => {
    entry.refreshAt = Number.POSITIVE_INFINITY
    const startedAt = now()
    try {
      const value = await load()
      if (entries.peek(key) === entry) insert(key, Promise.resolve(value), startedAt)
    } catch {
      // The caller has the cached value. The load at the end of its life reports the error.
      entry.refreshAt = now() + refreshPauseMs
    }
  }

  return {
    get(key: string, load: () => Promise<V>): Promise<V> {
      const cached = entries.get(key)
      if (cached !== undefined && (lifeMs === undefined || now() - cached.loadedAt < lifeMs)) {
        if (now() >= cached.refreshAt) void refresh(key, cached, load)
        return cached.value
      }
      const entry = insert(key, load(), now())
      entry.value.catch(() => {
        if (entries.peek(key) === entry) entries.delete(key)
      })
      return entry.value
    },
    delete: (key: string) => void entries.delete(key),
  }
}
