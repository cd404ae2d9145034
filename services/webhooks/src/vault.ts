import type { Metrics } from '@payments/chassis/metrics'
import { localProvider } from '@payments/vault/local-provider'
import { vaultMetrics } from '@payments/vault/metrics'
import { createVault, type Vault } from '@payments/vault/vault'
import type { ApiConfig, DispatcherConfig } from './config.ts'
import { dataKeyStore } from './store/data-keys.ts'
import type { Database } from './store/database.ts'

/** The vault of the signing secrets, with its data keys in our database; what does not open is counted in `registry`. */
export function openVault(
  config: Pick<ApiConfig & DispatcherConfig, 'VAULT_KEYS' | 'VAULT_KEY_CURRENT'>,
  db: Database,
  registry: Metrics['registry'],
): Vault {
  const provider = localProvider({ keys: config.VAULT_KEYS, current: config.VAULT_KEY_CURRENT })
  return createVault({ provider, dataKeys: dataKeyStore(db), metrics: vaultMetrics(registry) })
}
