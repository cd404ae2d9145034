import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { boundedCache } from './bounded-cache.ts'
import type { DataKeyStore, RestingDataKey } from './data-key.ts'
import type { KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

const dataKeyBytes = 32

export interface DataKey {
  readonly id: string
  readonly createdAt: Date
  readonly key: KeyObject
}

/** The data keys of tenants, made when first asked for, unwrapped once and kept in memory, at most `cachedMax`. */
export interface TenantKeys {
  /** The one that seals now; with `since`, one made then or later. */
  current(tenantId: string, since?: Date): Promise<DataKey>
  /** Throws VaultError where the tenant has none of this id. */
  find(tenantId: string, id: string): Promise<DataKey>
}

export function tenantKeys(provider: KeyProvider, store: DataKeyStore, cachedMax: number): TenantKeys {
  const unwrapped = boundedCache<DataKey>(cachedMax)
  const currents = boundedCache<DataKey>(cachedMax)

  const unwrap = async (resting: RestingDataKey): Promise<DataKey> => {
    const { kekId, wrapped, tenantId, id, createdAt } = resting
    const raw = await provider.unwrap(kekId, wrapped, { tenantId, dataKeyId: id })
    if (raw.length !== dataKeyBytes) throw new VaultError(`data key ${id} has ${raw.length} bytes`)
    const key = createSecretKey(raw)
    raw.fill(0)
    return { id, createdAt, key }
  }

  /** Never older than `since`, whatever the clocks say of each other. */
  const mint = async (tenantId: string, since: Date): Promise<RestingDataKey> => {
    const id = randomUUID()
    const raw = randomBytes(dataKeyBytes)
    const { kekId, wrapped } = await provider.wrap(raw, { tenantId, dataKeyId: id })
    raw.fill(0)
    return { tenantId, id, kekId, wrapped, createdAt: new Date(Math.max(Date.now(), since.getTime())) }
  }

  const settled = async (tenantId: string, since: Date): Promise<DataKey> => {
    const newest = await store.current(tenantId)
    const isRecent = newest !== undefined && newest.createdAt >= since
    const resting = isRecent ? newest : await store.settle(await mint(tenantId, since), since)
    return unwrapped.get(`${tenantId}/${resting.id}`, () => unwrap(resting))
  }

  return {
    async current(tenantId, since = new Date(0)) {
      const known = await currents.get(tenantId, () => settled(tenantId, since))
      if (known.createdAt >= since) return known
      currents.forget(tenantId)
      return currents.get(tenantId, () => settled(tenantId, since))
    },
    find: (tenantId, id) =>
      unwrapped.get(`${tenantId}/${id}`, async () => {
        const resting = await store.find(tenantId, id)
        if (resting === undefined) throw new VaultError(`the tenant has no data key ${id}`)
        return unwrap(resting)
      }),
  }
}
