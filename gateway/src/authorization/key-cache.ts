import { bytesOfTexts } from '@payments/chassis/base/sized-cache'
import type { Client } from '@payments/chassis/client/client'
import type { apiKey, KeyIdentity } from '@payments/contracts/services/api-key/contract'
import { LRUCache } from 'lru-cache'
import { createCachedLoad } from './cached-load.ts'
import type { Clock } from './clock.ts'
import { createDependencyCache } from './dependency-cache.ts'
import { createLease, type LeaseSource } from './lease.ts'

export type KeySource = LeaseSource & Pick<Client<typeof apiKey>, 'identifyKey'>

/** API keys by key hash, cached by the rules of lease.ts. */
export interface KeyCache {
  acquire(): Promise<void>
  /** Call after `acquire`. null for an unknown key. */
  get(keyHash: string, context: { traceId: string }): Promise<KeyIdentity | null>
}

interface KeyCacheOptions {
  readonly clock: Clock
  readonly keysMax: number
  /** Separate from `keysMax`, so that guessed keys do not evict valid ones. */
  readonly unknownHashesMax: number
}

const keyBytesMax = 64 * 1024 * 1024

export function createKeyCache(source: KeySource, options: KeyCacheOptions): KeyCache {
  const { clock, keysMax, unknownHashesMax } = options
  const keys = createDependencyCache<KeyIdentity>({
    entriesMax: keysMax,
    bytesMax: keyBytesMax,
    measureBytes: ({ api_key_id: id, tenant_id: tenantId, role_ids: roleIds, allowed_cidrs: cidrs }, keyHash) =>
      bytesOfTexts(keyHash, id, tenantId, ...roleIds, ...(cidrs ?? [])),
    readTenantId: ({ tenant_id: tenantId }) => tenantId,
    listDependencies: ({ api_key_id: id }) => [id],
  })
  const unknown = new LRUCache<string, true>({ max: unknownHashesMax })
  const lease = createLease({
    source: 'api-key',
    clock,
    readVersion: source.readVersion,
    invalidateAll: () => {
      keys.clear()
      unknown.clear()
    },
    invalidate: { key: keys.invalidate, unknown_key_hashes: () => unknown.clear() },
  })
  const getOrLoad = createCachedLoad<KeyIdentity | null>(lease, {
    get: (keyHash) => keys.get(keyHash) ?? (unknown.get(keyHash) === true ? null : undefined),
    set: (keyHash, key) => {
      if (key === null) unknown.set(keyHash, true)
      else keys.set(keyHash, key)
    },
  })
  return {
    acquire: lease.acquire,
    get: async (keyHash, context) =>
      getOrLoad(keyHash, async () => {
        const { key } = await source.identifyKey(context, { body: { key_hash: keyHash } })
        return { value: key, catalogue: null }
      }),
  }
}
