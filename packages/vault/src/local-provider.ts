import { decrypt, encrypt } from './aes-gcm.ts'
import type { KeyRing } from './key-ring.ts'
import type { DataKeyBinding, KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

/** Key-encryption keys that this process was given. Throws VaultError where the current one is not among them. */
export function localProvider({ keys, current }: { keys: KeyRing; current: string }): KeyProvider {
  const keyOf = (kekId: string) => {
    const key = keys.get(kekId)
    if (key === undefined) throw new VaultError(`there is no key-encryption key ${kekId}`)
    return key
  }
  const currentKey = keyOf(current)
  return {
    currentKekId: current,
    wrap: async (dataKey, binding) => ({
      kekId: current,
      wrapped: encrypt(currentKey, dataKey, associatedData(current, binding)),
    }),
    unwrap: async (kekId, wrapped, binding) => decrypt(keyOf(kekId), wrapped, associatedData(kekId, binding)),
  }
}

function associatedData(kekId: string, { tenantId, dataKeyId }: DataKeyBinding): Buffer {
  return Buffer.from(JSON.stringify(['data-key', 1, kekId, tenantId, dataKeyId]))
}
