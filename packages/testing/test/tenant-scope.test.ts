import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'
import type { PrivateDatabase } from '@payments/testing/database/database'
import { databaseWithNotes } from './notes.ts'
import { poolAsDatabase } from './pool-as-database.ts'

let database: PrivateDatabase
/** With one connection, so that each transaction runs on the connection of the previous one. */
let pool: SessionPool
let db: Transactions<SqlTx>

beforeAll(async () => {
  database = await databaseWithNotes()
})
beforeEach(() => {
  pool = openSessionPool(database.url, { max: 1 })
  db = transactions(poolAsDatabase(pool), { commits: new Commits() })
})
afterEach(() => pool.end())
afterAll(() => database.drop())

const look = 'SELECT text FROM notes'
const insert = (tx: SqlTx, tenantId: string) =>
  tx.$executeRawUnsafe(`INSERT INTO notes VALUES ($1::uuid, 'a secret')`, tenantId)
/** A transaction without a tenant, as code opens it that bypasses `transactions`. */
const withoutTenant = () => poolAsDatabase(pool).$transaction((tx) => tx.$queryRawUnsafe<unknown[]>(look))

test.each<[string, (tenantId: string) => Promise<unknown>]>([
  ['of a tenant', (tenantId) => db.inTenant(tenantId, (tx) => insert(tx, tenantId))],
  ['of every tenant', (tenantId) => db.acrossTenants((tx) => insert(tx, tenantId))],
  [
    'that failed',
    async (tenantId) => {
      await db.inTenant(tenantId, (tx) => insert(tx, tenantId))
      const failing = db.inTenant(tenantId, (tx) => tx.$executeRawUnsafe('SELECT 1 / 0'))
      await expect(failing).rejects.toThrow('division by zero')
    },
  ],
])('shows nothing without a tenant on the connection of a previous transaction %s', async (_, transaction) => {
  const tenantId = newId()
  const pid = async () => (await pool.statement({ text: 'SELECT pg_backend_pid() AS pid', values: [] })).rows[0].pid
  const connection = await pid()
  await transaction(tenantId)
  expect(await withoutTenant()).toEqual([])
  expect((await pool.statement({ text: look, values: [] })).rows).toEqual([])
  await expect(poolAsDatabase(pool).$transaction((tx) => insert(tx, tenantId))).rejects.toThrow('row-level security')
  expect(await pid()).toBe(connection)
  expect(await db.inTenant(tenantId, (tx) => tx.$queryRawUnsafe(look))).toEqual([{ text: 'a secret' }])
})

test('a transaction sees and writes only rows of its tenant', async () => {
  const [tenantId, other] = [newId(), newId()]
  await db.inTenant(tenantId, (tx) => insert(tx, tenantId))
  expect(await db.inTenant(other, (tx) => tx.$queryRawUnsafe(look))).toEqual([])
  await expect(db.inTenant(other, (tx) => insert(tx, tenantId))).rejects.toThrow('row-level security')
})
