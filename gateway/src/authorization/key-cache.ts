import { bytesOfTexts } from '@payments/chassis/base/sized-cache'
import type { Client } from '@payments/chassis/client/client'
import type { apiKey, KeyIdentity } from '@payments/contracts/services/api-key/contract'
import type { Clock } from './clock.ts'
import type { LeaseSource } from './lease.ts'
import { createLeasedCache } from './leased-cache.ts'

export type KeySource = LeaseSource & Pick<Client<typeof apiKey>, 'identifyKey'>

interface KeyCacheOptions {
  readonly clock: Clock
  readonly keysMax: number
  readonly unknownHashesMax: number
}

const keyBytesMax = 64 * 1024 * 1024

/** API keys by key hash. */
export function createKeyCache(source: KeySource, { clock, keysMax, unknownHashesMax }: KeyCacheOptions) {
  const keys = createLeasedCache<KeyIdentity>({
    source: 'api-key',
    clock,
    readVersion: source.readVersion,
    kinds: ['key'],
    unknown: { kind: 'unknown_key_hashes', keysMax: unknownHashesMax },
    entriesMax: keysMax,
    bytesMax: keyBytesMax,
    measureBytes: ({ api_key_id: id, tenant_id: tenantId, role_ids: roleIds, allowed_cidrs: cidrs }, keyHash) =>
      bytesOfTexts(keyHash, id, tenantId, ...roleIds, ...(cidrs ?? [])),
    readTenantId: ({ tenant_id: tenantId }) => tenantId,
    listDependencies: ({ api_key_id: id }) => [id],
  })
  return {
    acquire: keys.acquire,
    /** Call after `acquire`. null for an unknown key. */
    get: async (keyHash: string, context: { traceId: string }): Promise<KeyIdentity | null> =>
      keys.get(keyHash, async () => {
        const { key } = await source.identifyKey(context, { body: { key_hash: keyHash } })
        return { value: key, catalogue: null }
      }),
  }
}
