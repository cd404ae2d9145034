import type { Metrics } from '@payments/chassis/metrics'
import { localProvider } from '@payments/vault/local-provider'
import { vaultMetrics } from '@payments/vault/metrics'
import { createVault, type Vault } from '@payments/vault/vault'
import type { ApiConfig, DispatcherConfig } from '../config.ts'
import { dataKeyStore } from './data-keys.ts'
import type { Database } from './database.ts'

/** The vault of the signing secrets. Its data keys are in the database; `registry` counts failed decryptions. */
export function openVault(
  config: Pick<ApiConfig & DispatcherConfig, 'VAULT_KEYS' | 'VAULT_KEY_CURRENT'>,
  db: Database,
  registry: Metrics['registry'],
): Vault {
  const provider = localProvider({ keys: config.VAULT_KEYS, current: config.VAULT_KEY_CURRENT })
  return createVault({ provider, dataKeys: dataKeyStore(db), metrics: vaultMetrics(registry) })
}
