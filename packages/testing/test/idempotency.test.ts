import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'
import { once, purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { PrivateDatabase } from '@payments/testing/database/database'
import { whileLocked } from '@payments/testing/database/held-lock'
import { databaseWithNotes } from './notes.ts'
import { poolAsDatabase } from './pool-as-database.ts'

/** On a real PostgreSQL, through pg instead of Prisma. */
let database: PrivateDatabase
let pool: SessionPool
let db: Transactions<SqlTx>
let commits = 0

beforeAll(async () => {
  database = await databaseWithNotes()
  pool = openSessionPool(database.url, { max: 12 })
  const listened = new Commits()
  listened.listen(() => {
    commits += 1
  })
  db = transactions(poolAsDatabase(pool), { commits: listened })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

function caller(key: string | null, { tenantId = newId(), fingerprint = 'f' } = {}): Caller {
  const idempotency = key === null ? null : { key, fingerprint, replayed: false }
  return {
    tenantId,
    actor: { type: 'api_key', id: randomUUID() },
    traceId: randomUUID(),
    sessionId: null,
    isSessionToken: false,
    roleIds: null,
    roleNames: null,
    idempotency,
  }
}

const note = (by: Caller, text: string) =>
  once(db, by, async (tx) => {
    await tx.$executeRawUnsafe('INSERT INTO notes VALUES ($1::uuid, $2)', by.tenantId, text)
    return { text }
  })

const readNotes = async (tenantId: string) =>
  (await db.inTenant(tenantId, (tx) => tx.$queryRawUnsafe<{ text: string }[]>('SELECT text FROM notes'))).map(
    (row) => row.text,
  )

test('repeats members in the order of the first response, and a response that was stored without an order', async () => {
  const by = caller('order')
  const work = async () => ({ zone: 1, a: { y: 1, x: 2 }, bb: 3 })
  const first = JSON.stringify(await once(db, by, work))
  expect(JSON.stringify(await once(db, by, work))).toBe(first)
  await db.inTenant(by.tenantId, (tx) => tx.$executeRawUnsafe(`UPDATE idempotency_keys SET reply = reply - 'text'`))
  expect(await once(db, by, work)).toEqual(JSON.parse(first))
})

test('repeats the stored response for the same key and request, and does the work once', async () => {
  const first = caller('k1')
  const again = caller('k1', { tenantId: first.tenantId })
  expect(await note(first, 'a')).toEqual({ text: 'a' })
  expect(await note(again, 'b')).toEqual({ text: 'a' })
  expect([first.idempotency?.replayed, again.idempotency?.replayed]).toEqual([false, true])
  expect(await readNotes(first.tenantId)).toEqual(['a'])
})

test('does the work once for ten requests at once; each gets the response or idempotency_key_in_use', async () => {
  const { tenantId } = caller(null)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) => note(caller('k2', { tenantId }), `n${i}`)),
  )
  const rejected = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map((outcome) => (outcome.reason as Problem).code)
  expect(new Set(rejected)).toEqual(new Set(rejected.length > 0 ? ['idempotency_key_in_use'] : []))
  expect(await readNotes(tenantId)).toHaveLength(1)
})

test('rejects a key while its request runs, but not the same key of another tenant', async () => {
  const { tenantId } = caller(null)
  let [start, resume] = [() => {}, () => {}]
  const [started, resumed] = [
    new Promise<void>((resolve) => {
      start = resolve
    }),
    new Promise<void>((resolve) => {
      resume = resolve
    }),
  ]
  const running = once(db, caller('k8', { tenantId }), async () => {
    start()
    await resumed
    return { text: 'a' }
  })
  await started
  const [impatient, other] = await Promise.allSettled([note(caller('k8', { tenantId }), 'b'), note(caller('k8'), 'c')])
  resume()
  expect(impatient).toMatchObject({ status: 'rejected', reason: { code: 'idempotency_key_in_use' } })
  expect(other).toMatchObject({ status: 'fulfilled', value: { text: 'c' } })
  expect(await running).toEqual({ text: 'a' })
  expect(await note(caller('k8', { tenantId }), 'b')).toEqual({ text: 'a' })
})

test('rejects another request with the same key, which does nothing', async () => {
  const { tenantId } = caller(null)
  await note(caller('k3', { tenantId }), 'a')
  const other = note(caller('k3', { tenantId, fingerprint: 'g' }), 'b')
  await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 })
  expect(await readNotes(tenantId)).toEqual(['a'])
})

test('accepts the same key of another tenant', async () => {
  const [first, other] = [caller('k4'), caller('k4')]
  await note(first, 'a')
  expect(await note(other, 'b')).toEqual({ text: 'b' })
})

test('stores no problem that the work throws, and rolls its work back', async () => {
  const { tenantId } = caller(null)
  const rejected = once(db, caller('k5', { tenantId }), async (tx) => {
    await tx.$executeRawUnsafe('INSERT INTO notes VALUES ($1::uuid, $2)', tenantId, 'lost')
    throw new Problem(commonProblems.permission_denied)
  })
  await expect(rejected).rejects.toMatchObject({ code: 'permission_denied' })
  expect(await note(caller('k5', { tenantId }), 'stored')).toEqual({ text: 'stored' })
  expect(await readNotes(tenantId)).toEqual(['stored'])
})

test('stores a reply without its secret, and restores the secret on replay', async () => {
  const { tenantId } = caller(null)
  const make = () =>
    once(db, caller('k6', { tenantId }), async () => ({ id: 'x', value: 's3cret' }), {
      redact: ({ id }) => ({ id }),
      restore: async (_tx, redacted) => ({ ...(redacted as { id: string }), value: 's3cret' }),
    })
  expect(await make()).toEqual(await make())
  const rows = await db.acrossTenants((tx) =>
    tx.$queryRawUnsafe<object[]>(`SELECT * FROM idempotency_keys WHERE key = 'k6'`),
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('s3cret')
})

test('accepts an expired key for a new request, and purges it', async () => {
  const { tenantId } = caller(null)
  const expire = () =>
    db.inTenant(tenantId, (tx) =>
      tx.$executeRawUnsafe(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'k7'`),
    )
  await note(caller('k7', { tenantId }), 'a')
  await expire()
  expect(await note(caller('k7', { tenantId, fingerprint: 'new' }), 'b')).toEqual({ text: 'b' })
  await expire()
  expect(await db.acrossTenants((tx) => purgeIdempotencyKeys(tx))).toBe(1)
})

test('a purge skips an expired key that another transaction holds', async () => {
  const { tenantId } = caller(null)
  for (const key of ['held', 'free']) await note(caller(key, { tenantId }), key)
  await db.inTenant(tenantId, (tx) =>
    tx.$executeRawUnsafe(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s'`),
  )
  const held = 'SELECT 1 FROM idempotency_keys WHERE tenant_id = $1::uuid AND key = $2 FOR UPDATE'
  const purge = () => db.acrossTenants((tx) => purgeIdempotencyKeys(tx))
  expect(await whileLocked(database.ownerUrl, [held, tenantId, 'held'], purge)).toBe(1)
  expect(await purge()).toBe(1)
})

test('shows nothing to a transaction without a tenant, and reports no rolled-back transaction as committed', async () => {
  const by = caller(null)
  await note(by, 'a')
  const look = (tx: SqlTx) => tx.$queryRawUnsafe<unknown[]>('SELECT text FROM notes')
  expect(await db.inTenant(by.tenantId, look)).toEqual([{ text: 'a' }])
  expect(await poolAsDatabase(pool).$transaction(look)).toEqual([])
  const before = commits
  await expect(db.inTenant(by.tenantId, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(commits).toBe(before)
})
