import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { find } from '@payments/devkit/machine/machine'
import type { PrivateDatabase } from '@payments/testing/database/database'
import { type Pgbouncer, pgbouncerVersion, startPgbouncer } from '@payments/testing/peers/pgbouncer'
import { databaseWithNotes } from './notes.ts'
import { databaseOn } from './pool-as-database.ts'

const program = find('pgbouncer')
if (program === undefined) console.warn('not run behind PgBouncer. Install it: apt-get install pgbouncer')
const [major, minor] = program === undefined ? [0, 0] : pgbouncerVersion(program)
const prepares = major > 1 || minor >= 21
const insert = 'INSERT INTO notes VALUES ($1::uuid, $2)'
const read = 'SELECT text FROM notes WHERE text <> $1 ORDER BY text'
const readNotes = (tx: SqlTx) => tx.$queryRawUnsafe<{ text: string }[]>(read, '')

let database: PrivateDatabase
beforeAll(async () => {
  database = await databaseWithNotes()
})
afterAll(() => database.drop())

const modes: [string, { isPrepared: boolean }][] = [['nothing prepared', { isPrepared: false }]]
if (prepares) modes.push(['prepared statements', { isPrepared: true }])

describe.each(modes)('behind PgBouncer in transaction mode, with %s', (_, { isPrepared }) => {
  let pgbouncer: Pgbouncer | undefined
  let pool: SessionPool
  let db: Transactions<SqlTx>

  // Without PgBouncer, the tests run on PostgreSQL itself.
  beforeAll(async () => {
    const sessions = isPrepared ? { sessionsMax: 2, preparedStatementsMax: 500 } : { sessionsMax: 2 }
    pgbouncer = program === undefined ? undefined : await startPgbouncer(program, database.url, sessions)
    const url = new URL(pgbouncer?.url ?? database.url)
    if (!isPrepared) url.searchParams.set('prepared_statements', 'false')
    pool = openSessionPool(url.href, { max: 10 })
    db = databaseOn(pool)
  })
  afterAll(async () => {
    await pool.end()
    await pgbouncer?.stop()
  })

  test('ten clients of two sessions see and write the rows of their own tenants', async () => {
    const tenants = Array.from({ length: 20 }, () => newId())
    await Promise.all(
      tenants.map(async (tenantId) => {
        const [, pipelined] = await db.pipelined(tenantId, [
          { text: insert, values: [tenantId, `1 ${tenantId}`] },
          { text: read, values: [''] },
        ])
        expect(pipelined).toEqual([{ text: `1 ${tenantId}` }])
        const seen = await db.inTenant(tenantId, async (tx) => {
          await tx.$executeRawUnsafe(insert, tenantId, `2 ${tenantId}`)
          return readNotes(tx)
        })
        expect(seen.map(({ text }) => text)).toEqual([`1 ${tenantId}`, `2 ${tenantId}`])
        expect(await db.readInTenant(tenantId, readNotes)).toEqual(seen)
      }),
    )
    expect(await pool.statement({ text: read, values: [''] })).toMatchObject({ rows: [] })
  })

  test('a failed transaction commits nothing, and its session serves the next one', async () => {
    const tenantId = newId()
    const failing = db.inTenant(tenantId, async (tx) => {
      await tx.$executeRawUnsafe(insert, tenantId, 'three')
      await tx.$queryRawUnsafe('SELECT 1 / $1::int', 0)
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await db.readInTenant(tenantId, readNotes)).toEqual([])
  })
})
