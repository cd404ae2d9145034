import { Counter, type Registry } from 'prom-client'

export interface VaultMetrics {
  /** A secret or a data key could not be decrypted. */
  decryptionFailed(): void
}

/** Registers the vault's metrics. Call it once per registry. */
export function vaultMetrics(registry: Registry): VaultMetrics {
  const failures = new Counter({
    name: 'vault_decryption_failures_total',
    help: 'Secrets and data keys that could not be decrypted: each is a bug or an attack',
    registers: [registry],
  })
  return { decryptionFailed: () => failures.inc() }
}
