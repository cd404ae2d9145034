import type { Registry } from 'prom-client'
import type { VaultConfig } from './config.ts'
import type { DataKeyStore } from './data-key.ts'
import { keyProvider } from './key-provider.ts'
import { kmsKeys } from './kms-keys.ts'
import { localKeys } from './local-provider.ts'
import { vaultMetrics } from './metrics.ts'
import { createVault, type Vault } from './vault.ts'

/** The vault of a process, with the keys of its configuration. Call it once per registry. */
export function openVault(config: VaultConfig, dataKeys: DataKeyStore, registry: Registry): Vault {
  const metrics = vaultMetrics(registry)
  const local = localKeys(config.VAULT_KEYS ?? new Map())
  const kms = config.VAULT_KMS_KEYS === undefined ? [] : kmsKeys(config.VAULT_KMS_KEYS, { metrics })
  const provider = keyProvider({ keys: new Map([...local, ...kms]), current: config.VAULT_KEY_CURRENT })
  return createVault({ provider, dataKeys, metrics })
}
