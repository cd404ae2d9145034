import type { Client } from '@payments/chassis/client'
import type { apiKey, KeyIdentity } from '@payments/contracts/api-key'
import { LRUCache } from 'lru-cache'
import { createMemory, createRecall } from './dependency-cache.ts'
import { createEpochReader, type EpochOwner } from './revalidator.ts'

export type KeyOwner = Pick<Client<typeof apiKey>, 'identifyKey'> & EpochOwner

/** Which key has a key hash, remembered by the rules of epoch.ts. */
export interface KnownKeys {
  catchUp(): Promise<void>
  /** After `catchUp`. null where there is no such key. */
  identify(keyHash: string, context: { traceId: string }): Promise<KeyIdentity | null>
}

interface KeysMax {
  readonly keysMax: number
  /** Apart from the keys there are, so that guesses do not push those out. */
  readonly unknownHandlesMax: number
}

export function rememberKeys(owner: KeyOwner, { keysMax, unknownHandlesMax }: KeysMax): KnownKeys {
  const known = createMemory<KeyIdentity>({ answersMax: keysMax, dependenciesOf: ({ api_key_id: id }) => [id] })
  const unknown = new LRUCache<string, true>({ max: unknownHandlesMax })
  const epoch = createEpochReader({
    owner,
    forgetAll: () => {
      known.clear()
      unknown.clear()
    },
    forget: { key: known.forget, unknown_key_hashes: () => unknown.clear() },
  })
  const recall = createRecall<KeyIdentity | null>(epoch, {
    get: (keyHash) => known.get(keyHash) ?? (unknown.get(keyHash) === true ? null : undefined),
    put: (keyHash, key) => {
      if (key === null) unknown.set(keyHash, true)
      else known.put(keyHash, key)
    },
  })
  return {
    catchUp: epoch.catchUp,
    identify: async (keyHash, context) =>
      recall(keyHash, async () => (await owner.identifyKey(context, { body: { key_hash: keyHash } })).key),
  }
}
