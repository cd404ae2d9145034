import { randomBytes } from 'node:crypto'
import type { Metrics } from '@payments/chassis/metrics'
import { type Environment, keyHandle } from '@payments/contracts/key-value'
import { localProvider } from '@payments/vault/local-provider'
import { mask } from '@payments/vault/mask'
import { vaultMetrics } from '@payments/vault/metrics'
import { createVault, type Vault } from '@payments/vault/vault'
import type { Config } from './config.ts'
import {
  currentLookup,
  keyValueOf,
  type Lookup,
  lookups,
  type Peppers,
  secretBytes,
  valuePurpose,
} from './domain/key-value.ts'
import { dataKeys } from './store/data-keys.ts'
import type { Database } from './store/database.ts'
import type { RestingValue } from './store/values.ts'

/**
 * The values of keys: made, found, and shown again. A value rests sealed by the vault, and is looked up by an HMAC of its
 * handle; neither tells the value to a reader of the table.
 */
export interface KeyValues {
  /** A new value for the key, ready to be stored: never inside a transaction, the vault may ask its provider. */
  make(tenantId: string, keyId: string): Promise<RestingValue>
  /** Throws VaultError; never inside a transaction. */
  open(tenantId: string, keyId: string, sealed: Uint8Array): Promise<string>
  lookups(handle: string): Lookup[]
  /** Where a value stands under the current pepper. */
  currentLookup(value: string): Lookup
  readonly currentPepperKid: () => string
  readonly environment: Environment
  /** Its data keys are rewrapped through it. */
  readonly vault: Vault
}

export function keyValues(options: { environment: Environment; peppers: Peppers; vault: Vault }): KeyValues {
  const { environment, peppers, vault } = options
  return {
    async make(tenantId, keyId) {
      const value = keyValueOf(environment, randomBytes(secretBytes))
      const { pepperKid, hmac } = currentLookup(peppers, keyHandle(value))
      const sealedValue = await vault.encrypt({ purpose: valuePurpose, tenantId, recordId: keyId }, value)
      return { maskedValue: mask(value), sealedValue, pepperKid, lookupHmac: hmac }
    },
    open: (tenantId, keyId, sealed) => vault.decrypt({ purpose: valuePurpose, tenantId, recordId: keyId }, sealed),
    lookups: (handle) => lookups(peppers, handle),
    currentLookup: (value) => currentLookup(peppers, keyHandle(value)),
    currentPepperKid: () => peppers.current,
    environment,
    vault,
  }
}

type ValuesConfig = Pick<
  Config,
  'ENVIRONMENT' | 'VAULT_KEYS' | 'VAULT_KEY_CURRENT' | 'API_KEY_PEPPERS' | 'API_KEY_PEPPER_CURRENT'
>

/** With the vault and the peppers that the configuration names; what does not open is counted in `registry`. */
export function openKeyValues(config: ValuesConfig, db: Database, registry: Metrics['registry']): KeyValues {
  const provider = localProvider({ keys: config.VAULT_KEYS, current: config.VAULT_KEY_CURRENT })
  const peppers = { keys: config.API_KEY_PEPPERS, current: config.API_KEY_PEPPER_CURRENT }
  const vault = createVault({ provider, dataKeys: dataKeys(db), metrics: vaultMetrics(registry) })
  return keyValues({ environment: config.ENVIRONMENT, peppers, vault })
}
