import type { KeyEncryptionKey, KeyProvider } from './provider.ts'
import { VaultError } from './vault-error.ts'

export interface KeyEncryptionKeys {
  readonly keys: ReadonlyMap<string, KeyEncryptionKey>
  /** Id of the key that wraps new data keys. */
  readonly current: string
}

/** A provider with the given keys, of one kind or of several. Throws VaultError without the current key. */
export function keyProvider({ keys, current }: KeyEncryptionKeys): KeyProvider {
  const requireKey = (kekId: string) => {
    const key = keys.get(kekId)
    if (key === undefined) throw new VaultError(`no key-encryption key ${kekId}`)
    return key
  }
  const currentKey = requireKey(current)
  const limits = [...keys.values()].map(({ cacheMsMax }) => cacheMsMax).filter((ms) => ms !== undefined)
  return {
    currentKekId: current,
    ...(limits.length === 0 ? {} : { cacheMsMax: Math.min(...limits) }),
    generate: async (binding) => ({ kekId: current, wrapped: await currentKey.generate(binding) }),
    wrap: async (dataKey, binding) => ({ kekId: current, wrapped: await currentKey.wrap(dataKey, binding) }),
    unwrap: async (kekId, wrapped, binding) => requireKey(kekId).unwrap(wrapped, binding),
  }
}
