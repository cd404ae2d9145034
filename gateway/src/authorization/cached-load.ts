import { createSingleFlight } from '@payments/chassis/base/single-flight'
import type { DependencyCache } from './dependency-cache.ts'
import type { Lease } from './lease.ts'

/** A response of the source. `catalogue`: that of its replica; null where all releases respond the same. */
export interface Loaded<V> {
  readonly value: V
  readonly catalogue: string | null
}

/**
 * Returns the cached value, or loads the value from the authorization source. Caches a loaded value only when the
 * authorization version has not changed since the load began, and its catalogue is that of the version (lease.ts). Call
 * after `acquire`.
 */
export type CachedLoad<V> = (key: string, load: () => Promise<Loaded<V>>) => V | Promise<V>

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
      const { value, catalogue } = await load()
      const isOfVersion = catalogue === null || catalogue === before?.catalogue
      if (lease.version() === before && isOfVersion) cache.set(key, value)
      return value
    })
  }
}
