import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { DataKeyStore, StoredDataKey } from '@payments/vault/data-key'
import type { Database, Tx } from './database.ts'

/** Data keys of the vault. Each call is a transaction of its own. */
export function dataKeys(db: Database): DataKeyStore {
  return {
    current: (tenantId) => db.inTenant(tenantId, (tx) => newest(tx, tenantId)),
    find: (tenantId, id) =>
      db.inTenant(tenantId, async (tx) => (await tx.dataKey.findFirst({ where: { tenantId, id } })) ?? undefined),
    insertUnlessRecent: (key, since) =>
      db.inTenant(key.tenantId, async (tx) => {
        await lockForTransaction(tx, `api-key.data-keys:${key.tenantId}`)
        const stored = await newest(tx, key.tenantId)
        return stored !== undefined && stored.createdAt >= since ? stored : tx.dataKey.create({ data: key })
      }),
  }
}

async function newest(tx: Tx, tenantId: string): Promise<StoredDataKey | undefined> {
  return (await tx.dataKey.findFirst({ where: { tenantId }, orderBy: { createdAt: 'desc' } })) ?? undefined
}
