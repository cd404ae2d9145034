import { z } from 'zod'
import { keyRing } from './key-ring.ts'

/** What a process with a vault reads from its environment. */
export const vaultConfig = {
  VAULT_KEYS: keyRing.describe('JSON: id → base64 of 32 random bytes, the key-encryption keys'),
  VAULT_KEY_CURRENT: z.string().describe('id of the key-encryption key that wraps new data keys'),
}

/** For `.refine(...vaultConfigIsWhole)`: the current key is one of the keys. */
export const vaultConfigIsWhole = [
  (config: { VAULT_KEYS: ReadonlyMap<string, unknown>; VAULT_KEY_CURRENT: string }) =>
    config.VAULT_KEYS.has(config.VAULT_KEY_CURRENT),
  { path: ['VAULT_KEY_CURRENT'], message: 'must be the id of one of VAULT_KEYS' },
] satisfies [(config: never) => boolean, { path: PropertyKey[]; message: string }]
