import { randomBytes } from 'node:crypto'
import type { Metrics } from '@payments/chassis/process/metrics'
import { type Environment, keyHash } from '@payments/contracts/grammar/key-value'
import type { VaultConfig } from '@payments/vault/config'
import { mask } from '@payments/vault/mask'
import { openVault } from '@payments/vault/open'
import type { Vault } from '@payments/vault/vault'
import type { Config } from '../config.ts'
import {
  createKeyValue,
  currentIndex,
  keyIndexes,
  type Peppers,
  secretBytes,
  valuePurpose,
} from '../domain/key-value.ts'
import type { Database } from '../store/database.ts'
import type { StoredValue } from '../store/values.ts'

export type KeyValues = ReturnType<typeof keyValues>

/**
 * Generates, indexes and decrypts the values of keys. The database contains a value encrypted by the vault and an
 * index, the HMAC of its key hash. A reader of the table learns the value from neither.
 */
export function keyValues(options: { environment: Environment; peppers: Peppers; vault: Vault }) {
  const { environment, peppers, vault } = options
  return {
    /** A new value for the key, ready to be stored. Never inside a transaction: the vault may call its provider. */
    async generate(tenantId: string, keyId: string): Promise<StoredValue> {
      const value = createKeyValue(environment, randomBytes(secretBytes))
      const { pepperKid, hmac } = currentIndex(peppers, keyHash(value))
      const valueEncrypted = await vault.encrypt({ purpose: valuePurpose, tenantId, recordId: keyId }, value)
      return { maskedValue: mask(value), valueEncrypted, pepperKid, indexHmac: hmac }
    },
    /** Throws VaultError. Never inside a transaction. */
    decrypt: (tenantId: string, keyId: string, encrypted: Uint8Array) =>
      vault.decrypt({ purpose: valuePurpose, tenantId, recordId: keyId }, encrypted),
    /** The index of a key hash under each pepper of the ring. */
    indexes: (hashed: string) => keyIndexes(peppers, hashed),
    /** The index of a value under the current pepper. */
    currentIndex: (value: string) => currentIndex(peppers, keyHash(value)),
    currentPepperKid: () => peppers.current,
    environment,
    /** Rewraps data keys and re-encrypts values. */
    vault,
  }
}

type ValuesConfig = VaultConfig & Pick<Config, 'ENVIRONMENT' | 'API_KEY_PEPPERS' | 'API_KEY_PEPPER_CURRENT'>

/** Uses the vault and the peppers of the configuration. `registry` counts values that cannot be decrypted. */
export function openKeyValues(config: ValuesConfig, db: Database, registry: Metrics['registry']): KeyValues {
  const peppers = { keys: config.API_KEY_PEPPERS, current: config.API_KEY_PEPPER_CURRENT }
  const vault = openVault(config, db, registry)
  return keyValues({ environment: config.ENVIRONMENT, peppers, vault })
}
