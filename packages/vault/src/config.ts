import { z } from 'zod'
import { keyRing } from './key-ring.ts'

/** The environment variables of a process with a vault. */
export const vaultConfig = {
  VAULT_KEYS: keyRing.describe('Key-encryption keys, as JSON: id → base64 of 32 random bytes'),
  VAULT_KEY_CURRENT: z.string().describe('Id of the key-encryption key that wraps new data keys'),
}

/** For `.refine(...vaultConfigIsWhole)`: the current key is one of the keys. */
export const vaultConfigIsWhole = [
  (config: { VAULT_KEYS: ReadonlyMap<string, unknown>; VAULT_KEY_CURRENT: string }) =>
    config.VAULT_KEYS.has(config.VAULT_KEY_CURRENT),
  { path: ['VAULT_KEY_CURRENT'], message: 'must be the id of one of VAULT_KEYS' },
] satisfies [(config: never) => boolean, { path: PropertyKey[]; message: string }]
