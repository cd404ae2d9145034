import type { Metrics } from '@payments/chassis/process/metrics'
import type { VaultConfig } from '@payments/vault/config'
import { openVault as open } from '@payments/vault/open'
import type { Vault } from '@payments/vault/vault'
import { dataKeyStore } from './data-keys.ts'
import type { Database } from './database.ts'

/** The vault of the signing secrets. Its data keys are in the database; `registry` counts failed decryptions. */
export function openVault(config: VaultConfig, db: Database, registry: Metrics['registry']): Vault {
  return open(config, dataKeyStore(db), registry)
}
