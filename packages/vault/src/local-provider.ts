import { decryptBytes, encryptBytes } from './aes-gcm.ts'
import type { KeyRing } from './key-ring.ts'
import type { DataKeyBinding, KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

/** A provider with the given key-encryption keys. Throws VaultError when the current key is not among the keys. */
export function localProvider({ keys, current }: { keys: KeyRing; current: string }): KeyProvider {
  const keyOf = (kekId: string) => {
    const key = keys.get(kekId)
    if (key === undefined) throw new VaultError(`no key-encryption key ${kekId}`)
    return key
  }
  const currentKey = keyOf(current)
  return {
    currentKekId: current,
    wrap: async (dataKey, binding) => ({
      kekId: current,
      wrapped: encryptBytes(currentKey, dataKey, associatedData(current, binding)),
    }),
    unwrap: async (kekId, wrapped, binding) => decryptBytes(keyOf(kekId), wrapped, associatedData(kekId, binding)),
  }
}

function associatedData(kekId: string, { tenantId, dataKeyId }: DataKeyBinding): Buffer {
  return Buffer.from(JSON.stringify(['data-key', 1, kekId, tenantId, dataKeyId]))
}
