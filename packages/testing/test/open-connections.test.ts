import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { Commits, transactions } from '@payments/chassis/database/transaction'
import { type PrivateDatabase, privateDatabase } from '../src/database/database.ts'
import { openConnections } from '../src/database/open-connections.ts'

let database: PrivateDatabase
let pool: SessionPool
let db: Transactions<SqlTx>
beforeAll(async () => {
  database = await privateDatabase('rbac')
  pool = openSessionPool(database.url, { max: 10, connectionTimeoutMillis: 500 })
  db = transactions(onPool(pool), { commits: new Commits() })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('opens the requested number of idle connections', async () => {
  await openConnections(db, 10)
  expect([pool.totalCount, pool.idleCount]).toEqual([10, 10])
})

test('throws when the pool is too small', async () => {
  await expect(openConnections(db, 11)).rejects.toThrow('timeout')
})

/** As Prisma does it: a transaction is a connection of the pool for as long as it lasts. */
function onPool(connections: SessionPool) {
  return {
    async $transaction<R>(work: (tx: SqlTx) => Promise<R>): Promise<R> {
      const client = await connections.connect()
      const tx: SqlTx = {
        $queryRawUnsafe: async <T>(sql: string, ...values: unknown[]) => (await client.query(sql, values)).rows as T,
        $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
      }
      try {
        return await work(tx)
      } finally {
        client.release()
      }
    },
  }
}
