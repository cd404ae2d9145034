import { type KeyObject, randomBytes } from 'node:crypto'
import { decryptBytes, encryptBytes } from './aes-gcm.ts'
import { dataKeyBytes } from './data-key.ts'
import { keyProvider } from './key-provider.ts'
import type { KeyRing } from './key-ring.ts'
import type { DataKeyBinding, KeyEncryptionKey, KeyProvider } from './provider.ts'

/** A provider with key-encryption keys of this process only. Throws VaultError without the current key. */
export function localProvider({ keys, current }: { keys: KeyRing; current: string }): KeyProvider {
  return keyProvider({ keys: localKeys(keys), current })
}

export function localKeys(keys: KeyRing): Map<string, KeyEncryptionKey> {
  return new Map([...keys].map(([id, key]) => [id, localKey(id, key)]))
}

function localKey(id: string, key: KeyObject): KeyEncryptionKey {
  const wrap = (dataKey: Buffer, binding: DataKeyBinding) => encryptBytes(key, dataKey, associatedData(id, binding))
  return {
    async generate(binding) {
      const dataKey = randomBytes(dataKeyBytes)
      const wrapped = wrap(dataKey, binding)
      dataKey.fill(0)
      return wrapped
    },
    wrap: async (dataKey, binding) => wrap(dataKey, binding),
    unwrap: async (wrapped, binding) => decryptBytes(key, wrapped, associatedData(id, binding)),
  }
}

function associatedData(kekId: string, { tenantId, dataKeyId }: DataKeyBinding): Buffer {
  return Buffer.from(JSON.stringify(['data-key', 1, kekId, tenantId, dataKeyId]))
}
