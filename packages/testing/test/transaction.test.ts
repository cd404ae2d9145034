import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import {
  beforeCommit,
  Commits,
  isRetryable,
  type SqlTx,
  type Transactions,
  transactionRetries,
  transactions,
} from '@payments/chassis/database/transaction'
import { createMetrics } from '@payments/chassis/process/metrics'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'
import { poolAsDatabase } from './pool-as-database.ts'

/** On a real PostgreSQL. Errors of Prisma are tested by transaction-retry.test.ts of payment-proxy. */
let database: PrivateDatabase
let owner: pg.Client
let pools: SessionPool[]
let db: Transactions<SqlTx>
let serializable: Transactions<SqlTx>
let commits = 0

beforeAll(async () => {
  database = await privateDatabase('rbac')
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`
    CREATE TABLE counters (name text PRIMARY KEY, value int NOT NULL);
    CREATE TABLE steps (name text NOT NULL);
    CREATE TABLE fatal (name text NOT NULL);
    GRANT ALL ON counters, steps, fatal TO payments_rbac_app;
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER end_session AFTER INSERT ON fatal DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION end_session();`)
  const listened = new Commits()
  listened.listen(() => {
    commits += 1
  })
  const open = (url: string) => {
    const pool = openSessionPool(url, { max: 4 })
    return { pool, db: transactions(poolAsDatabase(pool), { commits: listened }) }
  }
  const strictUrl = new URL(database.url)
  strictUrl.searchParams.set('options', '-c default_transaction_isolation=serializable')
  const [plain, strict] = [open(database.url), open(strictUrl.href)]
  pools = [plain.pool, strict.pool]
  db = plain.db
  serializable = strict.db
})

beforeEach(async () => {
  await owner.query(`TRUNCATE counters, steps; INSERT INTO counters VALUES ('a', 0), ('b', 0)`)
  commits = 0
})

afterAll(async () => {
  await owner.end()
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const add = (tx: SqlTx, name: string) =>
  tx.$executeRawUnsafe('UPDATE counters SET value = value + 1 WHERE name = $1', name)
const values = async () => (await owner.query('SELECT value FROM counters ORDER BY name')).rows.map((row) => row.value)
const retries = async () => (await transactionRetries.get()).values[0]?.value ?? 0

/** Resolves after `count` calls; later calls resolve at once. */
function barrier(count: number): () => Promise<void> {
  let [arrived, open] = [0, () => {}]
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    arrived += 1
    if (arrived === count) open()
    return opened
  }
}

test('runs the victim of a deadlock again as a whole; both transactions commit once, with their last steps', async () => {
  const [both, retriesBefore] = [barrier(2), await retries()]
  let runs = 0
  const cross = (first: string, second: string) =>
    db.acrossTenants(async (tx) => {
      runs += 1
      beforeCommit(tx, async () => {
        await tx.$executeRawUnsafe('INSERT INTO steps VALUES ($1)', first)
      })
      await add(tx, first)
      await both()
      await add(tx, second)
      return first
    })
  expect(await Promise.all([cross('a', 'b'), cross('b', 'a')])).toEqual(['a', 'b'])
  expect([await values(), commits]).toEqual([[2, 2], 2])
  expect((await owner.query('SELECT name FROM steps ORDER BY name')).rows).toEqual([{ name: 'a' }, { name: 'b' }])
  // On a busy machine, the victim may become one again.
  const retried = (await retries()) - retriesBefore
  expect(retried).toBeGreaterThanOrEqual(1)
  expect(runs).toBe(2 + retried)
  expect(await createMetrics('any').registry.metrics()).toMatch(
    /database_transaction_retries_total\{service="any"\} [1-9]/,
  )
})

test('a step before the commit can register no further step', async () => {
  let thrown: unknown
  await db.acrossTenants(async (tx) => {
    beforeCommit(tx, async () => {
      try {
        beforeCommit(tx, async () => {})
      } catch (error) {
        thrown = error
      }
    })
  })
  expect(String(thrown)).toContain('beforeCommit: `transactions` did not open this transaction, or it has ended')
})

test.each([
  ['in the error itself', { code: '40001' }],
  [
    'where Prisma nests the error of the adapter',
    { meta: { driverAdapterError: { cause: { originalCode: '40P01' } } } },
  ],
])('finds the code of a serialization failure or deadlock %s', (_where, error) => {
  expect(isRetryable(error)).toBe(true)
  expect(isRetryable({ ...error, code: '23505', meta: {} })).toBe(false)
})

test('runs again after a serialization failure, and sees the other commit', async () => {
  const both = barrier(2)
  let runs = 0
  const sumInto = (name: string) =>
    serializable.acrossTenants(async (tx) => {
      runs += 1
      const [row] = await tx.$queryRawUnsafe<{ sum: number }[]>('SELECT sum(value)::int AS sum FROM counters')
      await both()
      await tx.$executeRawUnsafe('UPDATE counters SET value = $2 WHERE name = $1', name, (row?.sum ?? 0) + 1)
    })
  await Promise.all([sumInto('a'), sumInto('b')])
  const after: number[] = await values()
  expect([after.toSorted((one, other) => one - other), runs]).toEqual([[1, 2], 3])
})

test.each(['40001', '40P01'])('throws %s after four attempts', async (code) => {
  let runs = 0
  const failed = db.acrossTenants(async (tx) => {
    runs += 1
    await add(tx, 'a')
    await tx.$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`)
  })
  await expect(failed).rejects.toMatchObject({ code })
  expect([runs, commits, await values()]).toEqual([4, 0, [0, 0]])
})

test.each([
  ['an error of the work', async () => Promise.reject(new Error('no'))],
  ['a duplicate row', (tx: SqlTx) => tx.$executeRawUnsafe(`INSERT INTO counters VALUES ('a', 1)`)],
  ['a session that ends during COMMIT', (tx: SqlTx) => tx.$executeRawUnsafe(`INSERT INTO fatal VALUES ('a')`)],
])('does not run again after %s', async (_name, work) => {
  let runs = 0
  const failed = db.acrossTenants((tx) => {
    runs += 1
    return work(tx)
  })
  await expect(failed).rejects.toThrow()
  expect([runs, commits]).toEqual([1, 0])
})
