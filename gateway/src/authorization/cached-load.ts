import type { DependencyCache } from './dependency-cache.ts'
import type { Lease } from './lease.ts'
import { createSingleFlight } from './single-flight.ts'

/**
 * Returns the cached value, or loads the value from the authorization source. Caches a loaded value only when the
 * authorization version has not changed since the load began (lease.ts). Call after `acquire`.
 */
export type CachedLoad<V> = (key: string, load: () => Promise<V>) => V | Promise<V>

export function createCachedLoad<V>(
  lease: Pick<Lease, 'version'>,
  cache: Pick<DependencyCache<V>, 'get' | 'set'>,
): CachedLoad<V> {
  const singleFlight = createSingleFlight<V>()
  return (key, load) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    return singleFlight(key, async () => {
      const before = lease.version()
      const value = await load()
      if (lease.version() === before) cache.set(key, value)
      return value
    })
  }
}
