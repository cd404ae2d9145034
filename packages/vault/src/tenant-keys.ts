import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { DataKeyStore, StoredDataKey } from './data-key.ts'
import type { KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

const dataKeyBytes = 32

export interface DataKey {
  readonly id: string
  readonly createdAt: Date
  readonly key: KeyObject
}

/** The data keys of tenants. Each is created on first use, unwrapped once and cached; the cache holds `cachedMax`. */
export interface TenantKeys {
  /** The key that encrypts now. With `since`, a key created at that time or later. */
  current(tenantId: string, since?: Date): Promise<DataKey>
  /** Throws VaultError when the tenant has no data key of this id. */
  find(tenantId: string, id: string): Promise<DataKey>
}

/** Raw key bytes are zeroed after use. OpenSSL holds the memory of a `KeyObject`, so eviction has nothing to zero. */
export function tenantKeys(provider: KeyProvider, store: DataKeyStore, cachedMax: number): TenantKeys {
  const unwrapped: KeyCache = new LRUCache({ max: cachedMax })
  const currentKeys: KeyCache = new LRUCache({ max: cachedMax })

  const unwrap = async ({ kekId, wrapped, tenantId, id, createdAt }: StoredDataKey): Promise<DataKey> => {
    const raw = await provider.unwrap(kekId, wrapped, { tenantId, dataKeyId: id })
    if (raw.length !== dataKeyBytes) throw new VaultError(`data key ${id} has ${raw.length} bytes`)
    const key = createSecretKey(raw)
    raw.fill(0)
    return { id, createdAt, key }
  }

  /** `createdAt` is never before `since`, even when the clock of this process is behind. */
  const generate = async (tenantId: string, since: Date): Promise<StoredDataKey> => {
    const id = randomUUID()
    const raw = randomBytes(dataKeyBytes)
    const { kekId, wrapped } = await provider.wrap(raw, { tenantId, dataKeyId: id })
    raw.fill(0)
    return { tenantId, id, kekId, wrapped, createdAt: new Date(Math.max(Date.now(), since.getTime())) }
  }

  const loadCurrent = async (tenantId: string, since: Date): Promise<DataKey> => {
    const newest = await store.current(tenantId)
    const isRecent = newest !== undefined && newest.createdAt >= since
    const stored = isRecent ? newest : await store.insertUnlessRecent(await generate(tenantId, since), since)
    return getOrLoad(unwrapped, `${tenantId}/${stored.id}`, () => unwrap(stored))
  }

  return {
    async current(tenantId, since = new Date(0)) {
      const cached = await getOrLoad(currentKeys, tenantId, () => loadCurrent(tenantId, since))
      if (cached.createdAt >= since) return cached
      currentKeys.delete(tenantId)
      return getOrLoad(currentKeys, tenantId, () => loadCurrent(tenantId, since))
    },
    find: (tenantId, id) =>
      getOrLoad(unwrapped, `${tenantId}/${id}`, async () => {
        const stored = await store.find(tenantId, id)
        if (stored === undefined) throw new VaultError(`the tenant has no data key ${id}`)
        return unwrap(stored)
      }),
  }
}

type KeyCache = LRUCache<string, Promise<DataKey>>

/** Concurrent callers share one load. A failed load is not cached. */
function getOrLoad(cache: KeyCache, key: string, load: () => Promise<DataKey>): Promise<DataKey> {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const loading = load()
  cache.set(key, loading)
  loading.catch(() => {
    if (cache.peek(key) === loading) cache.delete(key)
  })
  return loading
}
