import { Counter, type Registry } from 'prom-client'

export interface VaultMetrics {
  decryptionFailed(): void
  kmsRequested(operation: KmsOperation, outcome: KmsOutcome): void
}

export type KmsOperation = (typeof kmsOperations)[number]
type KmsOutcome = (typeof kmsOutcomes)[number]

const kmsOperations = ['generate', 'encrypt', 'decrypt'] as const
const kmsOutcomes = ['succeeded', 'rejected', 'unavailable'] as const

/** Registers the vault's metrics. Call it once per registry. */
export function vaultMetrics(registry: Registry): VaultMetrics {
  const failures = new Counter({
    name: 'vault_decryption_failures_total',
    help: 'Secrets and data keys that could not be decrypted: each is a bug or an attack',
    registers: [registry],
  })
  const requests = new Counter({
    name: 'vault_kms_requests_total',
    help: 'Requests to AWS KMS with all their attempts, by operation and outcome; without AWS KMS all are 0',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
  })
  // The rate of a series misses its first value.
  for (const operation of kmsOperations) for (const outcome of kmsOutcomes) requests.inc({ operation, outcome }, 0)
  return {
    decryptionFailed: () => failures.inc(),
    kmsRequested: (operation, outcome) => requests.inc({ operation, outcome }),
  }
}
