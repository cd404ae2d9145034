import { LRUCache } from 'lru-cache'
import { type AddressKind, classifyAddress } from './address.ts'

const addressesMax = 10_000

/** `classifyAddress` with a cache: a kind never changes, and attempts resolve the same few addresses. */
export function cachedAddressKinds(): (address: string) => AddressKind {
  const cache = new LRUCache<string, AddressKind>({ max: addressesMax })
  return (address) => {
    const cached = cache.get(address)
    if (cached !== undefined) return cached
    const kind = classifyAddress(address)
    cache.set(address, kind)
    return kind
  }
}
