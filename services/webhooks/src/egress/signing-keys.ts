import type { KeyObject } from 'node:crypto'
import type { Binding, Vault } from '@payments/vault/vault'
import { LRUCache } from 'lru-cache'
import { signingKeyOf } from '../domain/signature.ts'

/** The key of an encrypted signing secret. Throws VaultError. */
export type SigningKeys = (binding: Binding, encrypted: Uint8Array) => Promise<KeyObject>

const keysMax = 10_000
const keyTtlMs = 60_000

/**
 * Caches decrypted keys for one minute: to decrypt a key costs more than to sign with it. The cache key contains the
 * ciphertext, so a rotated or re-encrypted secret is another entry. A key whose tenant's data key was destroyed signs
 * for at most one more minute.
 */
export function createSigningKeys(vault: Pick<Vault, 'decrypt'>): SigningKeys {
  const cache = new LRUCache<string, KeyObject>({ max: keysMax, ttl: keyTtlMs })
  return async (binding, encrypted) => {
    const name = `${binding.tenantId}/${binding.recordId}/${Buffer.from(encrypted).toString('latin1')}`
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const key = signingKeyOf(await vault.decrypt(binding, encrypted))
    cache.set(name, key)
    return key
  }
}
