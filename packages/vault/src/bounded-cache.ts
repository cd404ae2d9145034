/**
 * The last `max` results that were asked for. Callers at once for one key share a load; a load that fails is not kept.
 */
export interface BoundedCache<V> {
  get(key: string, load: () => Promise<V>): Promise<V>
  forget(key: string): void
  size(): number
}

export function boundedCache<V>(max: number): BoundedCache<V> {
  // A Map keeps the order of insertion: the first is the one not asked for the longest.
  const entries = new Map<string, Promise<V>>()
  return {
    get(key, load) {
      const found = entries.get(key)
      const entry = found ?? load()
      entries.delete(key)
      entries.set(key, entry)
      if (found === undefined) {
        entry.catch(() => {
          if (entries.get(key) === entry) entries.delete(key)
        })
      }
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) entries.delete(oldest)
      return entry
    },
    forget: (key) => void entries.delete(key),
    size: () => entries.size,
  }
}
