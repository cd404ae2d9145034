import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { DataKeyStore, StoredDataKey } from './data-key.ts'

const columns = 'tenant_id::text AS "tenantId", id::text AS id, kek_id AS "kekId", wrapped, created_at AS "createdAt"'

const newestSql = `SELECT ${columns} FROM data_keys WHERE tenant_id = $1::uuid ORDER BY created_at DESC LIMIT 1`

const findSql = `SELECT ${columns} FROM data_keys WHERE tenant_id = $1::uuid AND id = $2::uuid`

const insertSql = `
  INSERT INTO data_keys (tenant_id, id, kek_id, wrapped, created_at)
  VALUES ($1::uuid, $2::uuid, $3, decode($4, 'hex'), $5::timestamptz) RETURNING ${columns}`

/**
 * The table `data_keys` of a service (README). The vault is never called inside of a transaction: each call reads or
 * writes on its own.
 */
export function storedDataKeys(db: Pick<Transactions<SqlTx>, 'inTenant' | 'readInTenant'>): DataKeyStore {
  return {
    current: (tenantId) => db.readInTenant(tenantId, (tx) => one(tx, newestSql, tenantId)),
    find: (tenantId, id) => db.readInTenant(tenantId, (tx) => one(tx, findSql, tenantId, id)),
    insertUnlessRecent: (key, since) =>
      db.inTenant(key.tenantId, async (tx) => {
        await lockForTransaction(tx, `data_keys:${key.tenantId}`)
        const stored = await one(tx, newestSql, key.tenantId)
        return stored !== undefined && stored.createdAt >= since ? stored : insert(tx, key)
      }),
  }
}

async function one(tx: SqlTx, sql: string, ...values: unknown[]): Promise<StoredDataKey | undefined> {
  const [row] = await tx.$queryRawUnsafe<StoredDataKey[]>(sql, ...values)
  return row
}

async function insert(tx: SqlTx, { tenantId, id, kekId, wrapped, createdAt }: StoredDataKey): Promise<StoredDataKey> {
  const hex = Buffer.from(wrapped).toString('hex')
  const [row] = await tx.$queryRawUnsafe<[StoredDataKey]>(insertSql, tenantId, id, kekId, hex, createdAt.toISOString())
  return row
}
