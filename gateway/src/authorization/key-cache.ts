import type { Client } from '@payments/chassis/client'
import type { apiKey, KeyIdentity } from '@payments/contracts/api-key'
import { LRUCache } from 'lru-cache'
import { createCachedLoad, createDependencyCache } from './dependency-cache.ts'
import { type AuthorizationSource, createRevalidator } from './revalidator.ts'

export type KeySource = Pick<Client<typeof apiKey>, 'identifyKey'> & AuthorizationSource

/** API keys by key hash, cached by the rules of revalidator.ts. */
export interface KeyCache {
  revalidate(): Promise<void>
  /** Call after `revalidate`. null for an unknown key. */
  get(keyHash: string, context: { traceId: string }): Promise<KeyIdentity | null>
}

interface KeyCacheSizes {
  readonly keysMax: number
  /** Separate from `keysMax`, so that guessed keys do not evict valid ones. */
  readonly unknownHashesMax: number
}

export function createKeyCache(source: KeySource, { keysMax, unknownHashesMax }: KeyCacheSizes): KeyCache {
  const keys = createDependencyCache<KeyIdentity>({
    entriesMax: keysMax,
    dependenciesOf: ({ api_key_id: id }) => [id],
  })
  const unknown = new LRUCache<string, true>({ max: unknownHashesMax })
  const revalidator = createRevalidator({
    source,
    invalidateAll: () => {
      keys.clear()
      unknown.clear()
    },
    invalidate: { key: keys.invalidate, unknown_key_hashes: () => unknown.clear() },
  })
  const getOrLoad = createCachedLoad<KeyIdentity | null>(revalidator, {
    get: (keyHash) => keys.get(keyHash) ?? (unknown.get(keyHash) === true ? null : undefined),
    set: (keyHash, key) => {
      if (key === null) unknown.set(keyHash, true)
      else keys.set(keyHash, key)
    },
  })
  return {
    revalidate: revalidator.revalidate,
    get: async (keyHash, context) =>
      getOrLoad(keyHash, async () => (await source.identifyKey(context, { body: { key_hash: keyHash } })).key),
  }
}
