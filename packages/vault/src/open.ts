import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { Registry } from 'prom-client'
import type { VaultConfig } from './config.ts'
import { keyProvider } from './key-provider.ts'
import { kmsKeys } from './kms-keys.ts'
import { localKeys } from './local-provider.ts'
import { vaultMetrics } from './metrics.ts'
import { storedDataKeys } from './stored-data-keys.ts'
import { createVault, type Vault } from './vault.ts'

/**
 * The vault of a process, with the keys of its configuration. Its data keys are in the table `data_keys` of `db`;
 * `registry` counts failed decryptions. Call it once per registry.
 */
export function openVault(
  config: VaultConfig,
  db: Pick<Transactions<SqlTx>, 'inTenant' | 'readInTenant'>,
  registry: Registry,
): Vault {
  const metrics = vaultMetrics(registry)
  const local = localKeys(config.VAULT_KEYS ?? new Map())
  const kms = config.VAULT_KMS_KEYS === undefined ? [] : kmsKeys(config.VAULT_KMS_KEYS, { metrics })
  const provider = keyProvider({ keys: new Map([...local, ...kms]), current: config.VAULT_KEY_CURRENT })
  return createVault({ provider, dataKeys: storedDataKeys(db), metrics })
}
