import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto'
import { type DataKeyStore, dataKeyBytes, type StoredDataKey } from './data-key.ts'
import { type KeyCacheOptions, keyCache } from './key-cache.ts'
import type { KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

export interface DataKey {
  readonly id: string
  readonly createdAt: Date
  readonly key: KeyObject
}

/**
 * The data keys of tenants. Each is created on first use, unwrapped and cached. Raw key bytes are zeroed after use.
 * OpenSSL holds the memory of a `KeyObject`, so eviction has nothing to zero. A key that was cached for `cacheMsMax` of
 * the provider is read and unwrapped again.
 */
export function tenantKeys(provider: KeyProvider, store: DataKeyStore, cache: Omit<KeyCacheOptions, 'lifeMs'>) {
  const unwrapped = keyCache<DataKey>({ ...cache, lifeMs: provider.cacheMsMax })
  /** Ids only. `unwrapped` alone has keys, so that its limit of time holds. */
  const currentIds = keyCache<Pick<DataKey, 'id' | 'createdAt'>>(cache)

  const unwrap = async ({ kekId, wrapped, tenantId, id, createdAt }: StoredDataKey): Promise<DataKey> => {
    const raw = await provider.unwrap(kekId, wrapped, { tenantId, dataKeyId: id })
    try {
      if (raw.length !== dataKeyBytes) throw new VaultError(`data key ${id} has ${raw.length} bytes`)
      return { id, createdAt, key: createSecretKey(raw) }
    } finally {
      raw.fill(0)
    }
  }

  /** `createdAt` is never before `since`, even when the clock of this process is behind. */
  const generate = async (tenantId: string, since: Date): Promise<StoredDataKey> => {
    const id = randomUUID()
    const { kekId, wrapped } = await provider.generate({ tenantId, dataKeyId: id })
    return { tenantId, id, kekId, wrapped, createdAt: new Date(Math.max(Date.now(), since.getTime())) }
  }

  /** The stored key is unwrapped before its first use, so no secret is encrypted that cannot be decrypted. */
  const loadCurrent = async (tenantId: string, since: Date) => {
    const newest = await store.current(tenantId)
    const isRecent = newest !== undefined && newest.createdAt >= since
    const stored = isRecent ? newest : await store.insertUnlessRecent(await generate(tenantId, since), since)
    const { id, createdAt } = await unwrapped.get(`${tenantId}/${stored.id}`, () => unwrap(stored))
    return { id, createdAt }
  }

  /** Throws VaultError when the tenant has no data key of this id. */
  const find = (tenantId: string, id: string): Promise<DataKey> =>
    unwrapped.get(`${tenantId}/${id}`, async () => {
      const stored = await store.find(tenantId, id)
      if (stored === undefined) throw new VaultError(`the tenant has no data key ${id}`)
      return unwrap(stored)
    })

  return {
    find,
    /** The key that encrypts now. With `since`, a key created at that time or later. */
    async current(tenantId: string, since = new Date(0)): Promise<DataKey> {
      const load = () => loadCurrent(tenantId, since)
      let current = await currentIds.get(tenantId, load)
      if (current.createdAt < since) {
        currentIds.delete(tenantId)
        current = await currentIds.get(tenantId, load)
      }
      return find(tenantId, current.id)
    },
  }
}
