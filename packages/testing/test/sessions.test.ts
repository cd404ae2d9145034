import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { openSessionPool, roundTrips, type SessionPool } from '@payments/chassis/database/session'
import { createStatementNames } from '@payments/chassis/database/statement'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'
import { databaseOn } from './pool-as-database.ts'

let database: PrivateDatabase
let pool: SessionPool
let db: Transactions<SqlTx>

beforeAll(async () => {
  database = await privateDatabase('rbac')
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`
    CREATE TABLE notes (tenant_id uuid NOT NULL, text text NOT NULL UNIQUE);
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY tenant_isolation ON notes USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));
    GRANT ALL ON notes TO payments_rbac_app;`)
  await owner.end()
})
beforeEach(() => {
  pool = openSessionPool(database.url, { max: 1 })
  db = databaseOn(pool)
})
afterEach(() => pool.end())
afterAll(() => database.drop())

const insert = (tenantId: string, text: string) => ({
  text: 'INSERT INTO notes VALUES ($1::uuid, $2) RETURNING text',
  values: [tenantId, text],
})
const read = { text: 'SELECT text FROM notes ORDER BY text', values: [] }
const readNotes = (tx: SqlTx) => tx.$queryRawUnsafe<unknown[]>(read.text)
const countedTrips = async (work: () => Promise<unknown>) => {
  const trips = async () => (await roundTrips.get()).values[0]?.value ?? 0
  const before = await trips()
  await work()
  return (await trips()) - before
}
const prepared = async () =>
  (await pool.statement({ text: 'SELECT statement FROM pg_prepared_statements', values: [] })).rows.map(
    ({ statement }) => statement,
  )

test('a pipeline runs its statements in one round trip, and each sees the changes of those before it', async () => {
  const tenantId = newId()
  let rows: unknown
  const trips = await countedTrips(async () => {
    rows = await db.pipelined(tenantId, [insert(tenantId, 'one'), read, insert(tenantId, 'two'), read])
  })
  expect(rows).toEqual([[{ text: 'one' }], [{ text: 'one' }], [{ text: 'two' }], [{ text: 'one' }, { text: 'two' }]])
  expect(trips).toBe(1)
})

test('a pipeline commits nothing when a later statement fails, and its session stays usable', async () => {
  const tenantId = newId()
  const failing = [insert(tenantId, 'three'), { text: 'SELECT 1 / $1::int', values: [0] }, insert(tenantId, 'four')]
  await expect(db.pipelined(tenantId, failing)).rejects.toThrow('division by zero')
  expect(await db.pipelined(tenantId, [read, insert(tenantId, 'four')])).toEqual([[], [{ text: 'four' }]])
})

test('a pipeline with a value that cannot be written commits nothing', async () => {
  const tenantId = newId()
  const circular: { self?: unknown } = {}
  circular.self = circular
  const failing = db.pipelined(tenantId, [insert(tenantId, 'five'), { text: 'SELECT $1::jsonb', values: [circular] }])
  await expect(failing).rejects.toThrow('circular')
  expect(await db.pipelined(tenantId, [read])).toEqual([[]])
})

test('a pipeline and a read see the rows of their tenant only', async () => {
  const [tenantId, other] = [newId(), newId()]
  await db.pipelined(tenantId, [insert(tenantId, 'six')])
  expect(await db.pipelined(other, [read])).toEqual([[]])
  expect(await db.readInTenant(other, readNotes)).toEqual([])
  expect(await db.readInTenant(tenantId, readNotes)).toEqual([{ text: 'six' }])
  await expect(db.pipelined(other, [insert(tenantId, 'seven')])).rejects.toThrow('row-level security')
  expect((await pool.statement(read)).rows).toEqual([])
})

test('reads that wait for one session see the rows of their own tenants', async () => {
  const tenants = Array.from({ length: 20 }, () => newId())
  for (const tenantId of tenants) await db.pipelined(tenantId, [insert(tenantId, tenantId)])
  const reads = tenants.map((tenantId) => db.readInTenant(tenantId, readNotes))
  expect(await Promise.all(reads)).toEqual(tenants.map((text) => [{ text }]))
})

test('a transaction begins with its first statement: one round trip for each statement, and one for the commit', async () => {
  const tenantId = newId()
  const twoStatements = async (tx: SqlTx) => {
    await tx.$executeRawUnsafe(insert(tenantId, 'eight').text, tenantId, 'eight')
    return readNotes(tx)
  }
  expect(await countedTrips(() => db.inTenant(tenantId, twoStatements))).toBe(3)
  expect(await countedTrips(() => db.readInTenant(tenantId, readNotes))).toBe(1)
  expect(await countedTrips(() => db.inTenant(tenantId, async () => 'nothing'))).toBe(0)
  expect(await db.readInTenant(tenantId, readNotes)).toEqual([{ text: 'eight' }])
})

test('every statement of a transaction with RepeatableRead reads the same snapshot', async () => {
  const tenantId = newId()
  const second = openSessionPool(database.url, { max: 1 })
  const both = await db.inTenant(
    tenantId,
    async (tx) => {
      const before = await readNotes(tx)
      await databaseOn(second).pipelined(tenantId, [insert(tenantId, 'nine')])
      return [before, await readNotes(tx)]
    },
    { isolationLevel: 'RepeatableRead' },
  )
  await second.end()
  expect(both).toEqual([[], []])
  expect(await db.readInTenant(tenantId, readNotes)).toEqual([{ text: 'nine' }])
})

test('a failed first statement rolls its transaction back, and the next transaction begins with its own statement', async () => {
  const tenantId = newId()
  await expect(db.inTenant(tenantId, (tx) => tx.$queryRawUnsafe('SELECT 1 / 0'))).rejects.toThrow('division by zero')
  expect(await db.inTenant(tenantId, readNotes)).toEqual([])
})

test('the server ends a session, and its locks, 15 s after its transaction became idle', async () => {
  const name = 'idle_in_transaction_session_timeout'
  const setting = { text: 'SELECT current_setting($1) AS set', values: [name] }
  expect((await pool.statement(setting)).rows).toEqual([{ set: '15s' }])
})

test('prepares each statement once in a session, under a name that every library shares', async () => {
  const tenantId = newId()
  for (let turn = 0; turn < 3; turn += 1) await db.pipelined(tenantId, [read])
  await db.inTenant(tenantId, readNotes)
  expect((await prepared()).filter((statement) => statement === read.text)).toHaveLength(1)
})

test('the many texts that Prisma generates leave our statements their names', async () => {
  await pool.end()
  pool = openSessionPool(database.url, { max: 1, namesMax: 2 })
  for (let column = 1; column <= 5; column += 1) {
    await pool.query({ text: `SELECT $1::int AS of_prisma_${column}`, values: [1], rowMode: 'array' })
  }
  const tenantId = newId()
  await databaseOn(pool).pipelined(tenantId, [read])
  const texts = await prepared()
  expect(texts.filter((text) => text.includes('of_prisma'))).toHaveLength(2)
  expect(texts).toContain(read.text)
})

test('prepares nothing with prepared_statements=false in the URL', async () => {
  const url = new URL(database.url)
  url.searchParams.set('prepared_statements', 'false')
  await pool.end()
  pool = openSessionPool(url.href, { max: 1 })
  const tenantId = newId()
  await databaseOn(pool).pipelined(tenantId, [insert(tenantId, 'ten'), read])
  expect(await databaseOn(pool).readInTenant(tenantId, readNotes)).toEqual([{ text: 'ten' }])
  expect(await prepared()).toEqual([])
})

test('names the first texts only, so that a session prepares a bounded number of statements', () => {
  const names = createStatementNames(2)
  expect([names('a'), names('b'), names('c'), names('a')].map((name) => name?.length)).toEqual([22, 22, undefined, 22])
  expect(names('a')).not.toBe(names('b'))
})
