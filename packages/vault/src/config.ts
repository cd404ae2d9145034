import { z } from 'zod'
import { type KeyRing, keyRing } from './key-ring.ts'
import { type KmsKeyRing, kmsKeyRing } from './kms-key-ring.ts'

/** The environment variables of a process with a vault. The id in VAULT_KEY_CURRENT selects the provider. */
export const vaultConfig = {
  VAULT_KEYS: keyRing
    .optional()
    .describe('Key-encryption keys, as JSON: id → base64 of 32 random bytes. Not needed with VAULT_KMS_KEYS'),
  VAULT_KMS_KEYS: kmsKeyRing
    .optional()
    .describe('Key-encryption keys in AWS KMS, as JSON: id → ARN of the key. Not set: AWS KMS is not used'),
  VAULT_KEY_CURRENT: z
    .string()
    .describe('Id of the key-encryption key that wraps new data keys, of VAULT_KEYS or VAULT_KMS_KEYS'),
}

/** The part of a configuration that a vault needs. */
export interface VaultConfig {
  readonly VAULT_KEYS?: KeyRing | undefined
  readonly VAULT_KMS_KEYS?: KmsKeyRing | undefined
  readonly VAULT_KEY_CURRENT: string
}

/** For `.check(...vaultConfigIsWhole)`: there are keys, no id has two, and the current key is one of them. */
export const vaultConfigIsWhole = [
  z.refine<Partial<VaultConfig>>((config) => config.VAULT_KEYS !== undefined || config.VAULT_KMS_KEYS !== undefined, {
    path: ['VAULT_KEYS'],
    message: 'is not set, and neither is VAULT_KMS_KEYS',
    // Reported together with other invalid variables.
    when: () => true,
  }),
  z.refine<VaultConfig>((config) => listKeyIds(config).length === new Set(listKeyIds(config)).size, {
    path: ['VAULT_KMS_KEYS'],
    message: 'must not have an id of VAULT_KEYS',
  }),
  z.refine<VaultConfig>((config) => listKeyIds(config).includes(config.VAULT_KEY_CURRENT), {
    path: ['VAULT_KEY_CURRENT'],
    message: 'must be the id of one of VAULT_KEYS or VAULT_KMS_KEYS',
  }),
]

function listKeyIds({ VAULT_KEYS, VAULT_KMS_KEYS }: VaultConfig): string[] {
  return [...(VAULT_KEYS?.keys() ?? []), ...(VAULT_KMS_KEYS?.keys() ?? [])]
}
