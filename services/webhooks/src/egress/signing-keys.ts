import type { KeyObject } from 'node:crypto'
import type { Binding, Vault } from '@payments/vault/vault'
import { LRUCache } from 'lru-cache'
import { signingKeyOf } from '../domain/signature.ts'

/** The key of a sealed signing secret. Throws VaultError. */
export type SigningKeys = (binding: Binding, sealed: Uint8Array) => Promise<KeyObject>

const keptMax = 10_000
const keptMs = 60_000

/**
 * Keeps the keys that were opened last for a minute, since opening one costs more than signing with it. A secret that was changed is
 * sealed anew, and so is another one here; one whose tenant's data key was destroyed signs nothing a minute later.
 */
export function createSigningKeys(vault: Pick<Vault, 'decrypt'>): SigningKeys {
  const kept = new LRUCache<string, KeyObject>({ max: keptMax, ttl: keptMs })
  return async (binding, sealed) => {
    const name = `${binding.tenantId}/${binding.recordId}/${Buffer.from(sealed).toString('latin1')}`
    const found = kept.get(name)
    if (found !== undefined) return found
    const key = signingKeyOf(await vault.decrypt(binding, sealed))
    kept.set(name, key)
    return key
  }
}
