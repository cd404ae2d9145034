import { createSecretKey, randomBytes } from 'node:crypto'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { Metrics } from '@payments/chassis/process/metrics'
import { openVault } from '@payments/vault/open'

/** A vault with one local key, and the keys by their ids. */
export function localVault({
  db,
  metrics,
}: {
  db: Pick<Transactions<SqlTx>, 'inTenant' | 'readInTenant'>
  metrics: Metrics
}) {
  const vaultKeys = new Map([['k1', createSecretKey(randomBytes(32))]])
  return { vaultKeys, vault: openVault({ VAULT_KEYS: vaultKeys, VAULT_KEY_CURRENT: 'k1' }, db, metrics.registry) }
}
