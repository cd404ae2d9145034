import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { type Metrics, registerAge } from '@payments/chassis/process/metrics'

/** Tables with the work on erasures: of a service, and of webhooks on its copies. */
export type ErasureTable = 'payer_erasures' | 'copy_erasures'

/** Registers the age of the oldest work on an erasure, whose row is deleted after its second pass. */
export function registerErasureWork<Tx extends SqlTx>(
  { db, metrics }: { readonly db: Pick<Transactions<Tx>, 'acrossTenants'>; readonly metrics: Metrics },
  table: ErasureTable,
): void {
  registerAge(metrics.registry, {
    name: 'payer_oldest_erasure_work_age_seconds',
    help: 'Age of the oldest erasure that a service works on, until the end of its second pass; 0 without one',
    ageSeconds: () => db.acrossTenants((tx) => oldestAgeSeconds(tx, table)),
  })
}

async function oldestAgeSeconds(tx: SqlTx, table: ErasureTable): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ seconds: number }]>(
    `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS seconds FROM ${table}`,
  )
  return row.seconds
}
