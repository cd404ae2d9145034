import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { Transactions } from '@payments/chassis/database/transaction'
import type { DataKeyStore, StoredDataKey } from '@payments/vault/data-key'
import type { Tx } from './database.ts'

/** The data keys of the vault, in their own transactions: the vault is never called inside another transaction. */
export function dataKeyStore(db: Transactions<Tx>): DataKeyStore {
  return {
    current: (tenantId) => db.inTenant(tenantId, (tx) => newest(tx, tenantId)),
    find: (tenantId, id) =>
      db.inTenant(tenantId, async (tx) => (await tx.dataKey.findFirst({ where: { tenantId, id } })) ?? undefined),
    insertUnlessRecent: (key, since) =>
      db.inTenant(key.tenantId, async (tx) => {
        await lockForTransaction(tx, `data_keys:${key.tenantId}`)
        const stored = await newest(tx, key.tenantId)
        return stored !== undefined && stored.createdAt >= since ? stored : tx.dataKey.create({ data: { ...key } })
      }),
  }
}

async function newest(tx: Tx, tenantId: string): Promise<StoredDataKey | undefined> {
  const row = await tx.dataKey.findFirst({ where: { tenantId }, orderBy: { createdAt: 'desc' } })
  return row ?? undefined
}
