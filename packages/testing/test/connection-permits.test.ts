import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { members } from '@payments/chassis/base/fair-permits'
import { newId } from '@payments/chassis/base/id'
import { createConnectionPermits } from '@payments/chassis/database/connection-permits'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'
import { findOverload } from '@payments/chassis/request/overload'
import { until } from '@payments/devkit/processes/process-group'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'
import { poolAsDatabase } from './pool-as-database.ts'

/** Four connections, of which one tenant uses three at most. */
const connectionsMax = 4
let database: PrivateDatabase
let pool: SessionPool
let holder: pg.Client

beforeAll(async () => {
  database = await privateDatabase('rbac')
  pool = openSessionPool(database.url, { max: connectionsMax })
  holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
})

afterAll(async () => {
  await pool.end()
  await holder.end()
  await database.drop()
})

const open = (waitMsMax: number): Transactions<SqlTx> =>
  transactions(poolAsDatabase(pool), {
    commits: new Commits(),
    permits: createConnectionPermits(connectionsMax, waitMsMax),
    waitMsMax,
  })
const lockedRow = (tx: SqlTx) => tx.$queryRawUnsafe('SELECT pg_advisory_xact_lock(7)')
const readOne = (tx: SqlTx) => tx.$queryRawUnsafe<{ one: number }[]>('SELECT 42 AS one')
const waitingForLock = async () => {
  const { rows } = await holder.query<{ count: string }>(
    `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 7`,
  )
  return Number(rows[0]?.count)
}

test('a tenant whose transactions all wait for one lock leaves a connection for other tenants', async () => {
  const db = open(30_000)
  const busy = newId()
  await holder.query('SELECT pg_advisory_lock(7)')
  const stuck = Array.from({ length: 50 }, () => db.inTenant(busy, lockedRow))
  expect(await until(async () => (await waitingForLock()) === 3, 30_000)).toBe(true)
  for (let turn = 0; turn < 20; turn += 1) expect(await db.inTenant(newId(), readOne)).toEqual([{ one: 42 }])
  expect(await db.acrossTenants(readOne)).toEqual([{ one: 42 }])
  expect(await waitingForLock()).toBe(3)
  await holder.query('SELECT pg_advisory_unlock(7)')
  await Promise.all(stuck)
})

test('the credentials of a tenant take turns: one with fifty transactions delays another by those in progress', async () => {
  const db = open(30_000)
  const tenant = newId()
  await holder.query('SELECT pg_advisory_lock(7)')
  const ended: string[] = []
  const run = (sender: string) =>
    members.run(sender, async () => {
      await db.inTenant(tenant, lockedRow)
      ended.push(sender)
    })
  const all = Array.from({ length: 50 }, () => run('many'))
  expect(await until(async () => (await waitingForLock()) === 2, 30_000)).toBe(true)
  all.push(run('few'))
  expect(await until(async () => (await waitingForLock()) === 3, 30_000)).toBe(true)
  await holder.query('SELECT pg_advisory_unlock(7)')
  await Promise.all(all)
  // Two of the first are in progress.
  expect(ended.indexOf('few')).toBeLessThan(6)
})

test('a transaction that gets no connection in time is an overload, and has not started', async () => {
  const db = open(200)
  const tenantId = newId()
  await holder.query('SELECT pg_advisory_lock(7)')
  const stuck = Array.from({ length: 3 }, () => db.inTenant(tenantId, lockedRow))
  expect(await until(async () => (await waitingForLock()) === 3, 30_000)).toBe(true)
  const started: string[] = []
  const late = db.inTenant(tenantId, async () => started.push('late')).catch((error: unknown) => error)
  expect(findOverload(await late)).toBe('no session in time')
  await holder.query('SELECT pg_advisory_unlock(7)')
  await Promise.all(stuck)
  expect(started).toEqual([])
})

test('while the event loop is busy, two tenants have two connections each, and one alone keeps its share', async () => {
  const load = { is: 0.9 }
  const permits = createConnectionPermits(20, 60_000, () => load.is)
  const takeAll = (tenant: string) => {
    const releases = []
    for (let one = permits.tryAcquire(tenant); one !== undefined; one = permits.tryAcquire(tenant)) releases.push(one)
    return releases
  }
  const alone = takeAll('a')
  expect(alone).toHaveLength(15)
  const [waiting, others] = [permits.acquire('a'), takeAll('b')]
  expect(others).toHaveLength(2)
  for (const release of alone.slice(0, 13)) release()
  expect(permits.counts()).toEqual({ inProgress: 4, waiting: 1 })
  alone[13]?.()
  const release = await waiting
  expect(permits.tryAcquire('a')).toBeUndefined()
  load.is = 0.5
  release()
  expect(takeAll('a')).toHaveLength(14)
})
