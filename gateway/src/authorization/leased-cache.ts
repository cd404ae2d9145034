import { createSingleFlight } from '@payments/chassis/base/single-flight'
import { LRUCache } from 'lru-cache'
import { createDependencyCache, type DependencyCacheOptions } from './dependency-cache.ts'
import { createLease, type Lease, type LeaseOptions } from './lease.ts'

/** A response of the source. `catalogue`: of its replica; null where all releases respond the same. */
export interface Loaded<V> {
  readonly value: V
  readonly catalogue: string | null
}

/** Values of an authorization source, cached by the rules of lease.ts. */
export interface LeasedCache<V> extends Pick<Lease, 'acquire'> {
  /**
   * Returns the cached value, or loads it. Caches a loaded value only when the authorization version has not changed
   * since the load began, and the version has the same catalogue. Call after `acquire`.
   */
  get<L extends V | null>(key: string, load: () => Promise<Loaded<L>>): L | Promise<L>
  invalidate(id: string): void
}

interface LeasedCacheOptions<V>
  extends DependencyCacheOptions<V>,
    Pick<LeaseOptions, 'source' | 'clock' | 'readVersion'> {
  /** The kinds of changes that name a dependency of values. */
  readonly kinds: readonly string[]
  /** Keys without a value are cached apart, so that guesses evict no value. A change of this kind invalidates all. */
  readonly unknown?: { readonly kind: string; readonly keysMax: number }
}

export function createLeasedCache<V extends object>(options: LeasedCacheOptions<V>): LeasedCache<V> {
  const { source, clock, readVersion, kinds, unknown } = options
  const values = createDependencyCache<V>(options)
  const unknownKeys = unknown && new LRUCache<string, true>({ max: unknown.keysMax })
  const invalidate = Object.fromEntries(kinds.map((kind) => [kind, values.invalidate]))
  if (unknown !== undefined) invalidate[unknown.kind] = () => unknownKeys?.clear()
  const lease = createLease({
    source,
    clock,
    readVersion,
    invalidateAll: () => {
      values.clear()
      unknownKeys?.clear()
    },
    invalidate,
  })
  const singleFlight = createSingleFlight<V | null>()
  const load = async (key: string, read: () => Promise<Loaded<V | null>>) => {
    const before = lease.version()
    const { value, catalogue } = await read()
    const isOfVersion = catalogue === null || catalogue === before?.catalogue
    if (lease.version() !== before || !isOfVersion) return value
    if (value === null) unknownKeys?.set(key, true)
    else values.set(key, value)
    return value
  }
  return {
    acquire: lease.acquire,
    get<L extends V | null>(key: string, read: () => Promise<Loaded<L>>) {
      const found = values.get(key) ?? (unknownKeys?.get(key) === true ? null : undefined)
      return (found === undefined ? singleFlight(key, () => load(key, read)) : found) as L | Promise<L>
    },
    invalidate: values.invalidate,
  }
}
