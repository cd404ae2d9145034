import type { KeyObject } from 'node:crypto'
import { bytesOfTexts, createSizedCache } from '@payments/chassis/base/sized-cache'
import type { Binding, Vault } from '@payments/vault/vault'
import { createSigningKey } from '../domain/attempt/signature.ts'

/** The key of an encrypted signing secret. Throws VaultError. */
export type SigningKeys = (binding: Binding, encrypted: Uint8Array) => Promise<KeyObject>

interface CachedKey {
  readonly key: KeyObject
  readonly tenantId: string
  /** `performance.now()` */
  readonly untilMs: number
}

const keysMax = 10_000
const keyBytesMax = 16 * 1024 * 1024
const keyTtlMs = 60_000

/**
 * Caches decrypted keys for one minute: to decrypt a key costs more than to sign with it. The cache key contains the
 * ciphertext, so a rotated or re-encrypted secret is another entry. A key whose tenant's data key was destroyed signs
 * for at most one more minute. A tenant has a quarter of the cache.
 */
export function createSigningKeys(vault: Pick<Vault, 'decrypt'>): SigningKeys {
  const cache = createSizedCache<CachedKey>({
    entriesMax: keysMax,
    bytesMax: keyBytesMax,
    measureBytes: (_, name) => bytesOfTexts(name),
    readTenantId: ({ tenantId }) => tenantId,
  })
  return async (binding, encrypted) => {
    const { tenantId, recordId } = binding
    const name = `${tenantId}/${recordId}/${Buffer.from(encrypted).toString('latin1')}`
    const cached = cache.get(name)
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.key
    const key = createSigningKey(await vault.decrypt(binding, encrypted))
    cache.set(name, { key, tenantId, untilMs: performance.now() + keyTtlMs })
    return key
  }
}
