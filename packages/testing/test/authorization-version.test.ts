import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { purgeInvalidations, recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { selectVersions } from '@payments/chassis/database/authorization-version-reads'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import type { Statement } from '@payments/chassis/database/statement'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'
import { poolAsDatabase } from './pool-as-database.ts'
import { untilLockAwaited } from './until-lock-awaited.ts'

/** Uses the tables of rbac, which are the same in every authorization source. */
let database: PrivateDatabase
let pool: SessionPool
let db: Transactions<SqlTx>

beforeEach(async () => {
  database = await privateDatabase('rbac')
  pool = openSessionPool(database.url, { max: 12 })
  db = transactions(poolAsDatabase(pool), { commits: new Commits() })
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

const ids = (n: number) => Array.from({ length: n }, () => randomUUID())
const sql = (query: string, ...values: unknown[]) => db.acrossTenants((tx) => tx.$executeRawUnsafe(query, ...values))
const change = (kind: 'key' | 'role' | 'tenant', changed: string[]) =>
  db.acrossTenants(async (tx) => recordAuthorizationChange(tx, kind, changed))
const readIn = (tx: Pick<SqlTx, '$queryRawUnsafe'>, since?: number) =>
  selectVersions({ query: ({ text, values }) => tx.$queryRawUnsafe(text, ...values) }, [since]).then(([reply]) => {
    if (reply === undefined) throw new Error('no reply')
    return reply
  })
const read = (since?: number) => db.acrossTenants((tx) => readIn(tx, since))
const readInvalidated = async (since: number) => (await read(since)).invalidated

describe('recordAuthorizationChange', () => {
  test('increments the epoch once per transaction, and names each id once', async () => {
    const [a = '', b = '', c = ''] = ids(3)
    await db.acrossTenants(async (tx) => {
      recordAuthorizationChange(tx, 'role', [a, b])
      recordAuthorizationChange(tx, 'role', [b])
      recordAuthorizationChange(tx, 'tenant', [c])
    })
    const { epoch, invalidated } = await read(0)
    expect(epoch).toBe(1)
    const all = [
      { kind: 'role', id: a },
      { kind: 'role', id: b },
      { kind: 'tenant', id: c },
    ]
    expect(invalidated).toHaveLength(3)
    expect(invalidated).toEqual(expect.arrayContaining(all))
  })

  test('a transaction without a recorded change increments nothing', async () => {
    await sql('SELECT 1')
    expect((await read(0)).epoch).toBe(0)
  })

  test('a rollback leaves neither the increment nor the names', async () => {
    const broken = db.acrossTenants(async (tx) => {
      recordAuthorizationChange(tx, 'key', ids(1))
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect(await read(0)).toMatchObject({ epoch: 0, invalidated: [] })
  })

  test('holds no lock before the commit: another change can commit first', async () => {
    const [slow = '', fast = ''] = ids(2)
    await db.acrossTenants(async (tx) => {
      recordAuthorizationChange(tx, 'key', [slow])
      await change('key', [fast])
      expect(await readInvalidated(0)).toEqual([{ kind: 'key', id: fast }])
    })
    expect(await readInvalidated(1)).toEqual([{ kind: 'key', id: slow }])
  })

  test('commits in the order of the epochs, and readers do not wait', async () => {
    const [first = '', second = ''] = ids(2)
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('UPDATE authz_epoch SET epoch = epoch + 1')
      await holder.query(`INSERT INTO authz_invalidations VALUES (1, 'key', $1, clock_timestamp())`, [first])
      const waiting = change('key', [second])
      await untilLockAwaited(pool)
      expect(await read(0)).toMatchObject({ epoch: 0, invalidated: [] })
      await holder.query('COMMIT')
      await waiting
      expect((await readInvalidated(0))?.map(({ id }) => id)).toEqual([first, second])
      expect(await readInvalidated(1)).toEqual([{ kind: 'key', id: second }])
    } finally {
      await holder.end()
    }
  })

  test('twenty changes at once are gapless', async () => {
    await Promise.all(ids(20).map((id) => change('role', [id])))
    const { epoch, invalidated } = await read(0)
    expect([epoch, invalidated?.length]).toEqual([20, 20])
    expect((await readInvalidated(13))?.length).toBe(7)
  })

  test('nothing commits without the epoch row', async () => {
    await sql('DELETE FROM authz_epoch')
    const lost = db.acrossTenants(async (tx) => {
      await tx.$executeRawUnsafe(`INSERT INTO authz_invalidations VALUES (99, 'key', $1::uuid, now())`, randomUUID())
      recordAuthorizationChange(tx, 'key', ids(1))
    })
    await expect(lost).rejects.toThrow('authz_epoch has no row')
    expect(await sql('DELETE FROM authz_invalidations')).toBe(0)
  })

  test('the epoch table has one row only', async () => {
    await expect(sql('INSERT INTO authz_epoch (id) VALUES (2)')).rejects.toThrow('authz_epoch_one_row')
  })

  test('throws outside a transaction of this package, and after its end', async () => {
    let ended: SqlTx | undefined
    await db.acrossTenants(async (tx) => {
      ended = tx
    })
    const foreign: SqlTx[] = [{ $queryRawUnsafe: async () => [] as never, $executeRawUnsafe: async () => 0 }]
    if (ended !== undefined) foreign.push(ended)
    expect(foreign).toHaveLength(2)
    for (const tx of foreign) expect(() => recordAuthorizationChange(tx, 'key', ids(1))).toThrow('beforeCommit')
  })
})

describe('selectVersions', () => {
  test('names the changes after the given epoch, and none for the current epoch', async () => {
    const changed = ids(3)
    for (const id of changed) await change('key', [id])
    expect(await readInvalidated(3)).toEqual([])
    expect(await readInvalidated(1)).toEqual(changed.slice(1).map((id) => ({ kind: 'key', id })))
  })

  test('invalidates everything without an epoch, or for one in the future', async () => {
    await change('key', ids(1))
    expect(await read()).toMatchObject({ epoch: 1, invalidated: null })
    expect(await readInvalidated(2)).toBeNull()
  })

  test('invalidates everything when an epoch has no row', async () => {
    for (const id of ids(4)) await change('key', [id])
    await sql('DELETE FROM authz_invalidations WHERE epoch = 3')
    expect([await readInvalidated(0), await readInvalidated(1), await readInvalidated(2)]).toEqual([null, null, null])
    expect(await readInvalidated(3)).toHaveLength(1)
  })

  test('names up to 1 000 changes, and invalidates everything beyond', async () => {
    await change('key', ids(1000))
    expect(await readInvalidated(0)).toHaveLength(1000)
    await change('key', ids(1))
    expect(await readInvalidated(0)).toBeNull()
    expect(await readInvalidated(1)).toHaveLength(1)
    await sql('DELETE FROM authz_invalidations')
    await sql('UPDATE authz_epoch SET epoch = 0')
    await change('key', ids(999))
    await change('key', ids(2))
    expect(await readInvalidated(0)).toBeNull()
  })

  test('a change of more than 1 000 ids increments the epoch and invalidates everything', async () => {
    await change('key', ids(1001))
    expect(await read(0)).toMatchObject({ epoch: 1, invalidated: null })
    expect(await readInvalidated(1)).toEqual([])
  })

  test('the incarnation survives changes, and differs in another database and after a manual repair', async () => {
    const other = await privateDatabase('rbac')
    const otherPool = openSessionPool(other.url)
    try {
      const before = await read()
      await change('key', ids(1))
      expect((await read()).incarnation).toBe(before.incarnation)
      // Both databases are clones of one template, so the stored incarnation is the same.
      const elsewhere = await transactions(poolAsDatabase(otherPool), { commits: new Commits() }).acrossTenants((tx) =>
        readIn(tx, 0),
      )
      expect(elsewhere.incarnation).not.toBe(before.incarnation)
      await sql('UPDATE authz_epoch SET incarnation = gen_random_uuid()')
      expect((await read()).incarnation).not.toBe(before.incarnation)
    } finally {
      await otherPool.end()
      await other.drop()
    }
  })

  test('a restarted server has another incarnation', async () => {
    const { incarnation } = await read()
    const [name, start] = ['pg_postmaster_start_time', `timestamptz '2001-01-01'`]
    expect(await incarnationWith(name, start)).not.toBe(incarnation)
    expect(await incarnationWith('unrelated', start)).toBe(incarnation)
  })

  test('rejects a read on a server in recovery', async () => {
    await expect(incarnationWith('pg_is_in_recovery', 'true')).rejects.toThrow('in recovery')
  })
})

describe('purgeInvalidations', () => {
  const age = (epoch: number, minutes: number) =>
    sql(
      `UPDATE authz_invalidations SET recorded_at = now() - $2 * interval '1 minute' WHERE epoch = $1`,
      epoch,
      minutes,
    )
  const purge = (rowsMax?: number) => db.acrossTenants((tx) => purgeInvalidations(tx, rowsMax))

  test('deletes changes older than 15 minutes; a reader from before invalidates everything', async () => {
    for (const id of ids(4)) await change('key', [id])
    await age(1, 16)
    await age(2, 16)
    await age(3, 14)
    expect(await purge()).toBe(2)
    expect([await readInvalidated(0), await readInvalidated(1)]).toEqual([null, null])
    expect([(await readInvalidated(2))?.length, (await readInvalidated(3))?.length]).toEqual([2, 1])
    expect(await purge()).toBe(0)
  })

  test('deletes whole epochs, so a reader never gets half of a change', async () => {
    await change('key', ids(3))
    await change('key', ids(3))
    await age(1, 16)
    await age(2, 16)
    expect(await purge(1)).toBe(3)
    expect(await readInvalidated(0)).toBeNull()
    expect(await readInvalidated(1)).toHaveLength(3)
  })

  test('retains the changes of at most 100 000 epochs', async () => {
    await change('key', ids(1))
    await change('key', ids(1))
    await sql('UPDATE authz_epoch SET epoch = 100001')
    expect(await purge()).toBe(1)
    expect(await readInvalidated(1)).toBeNull()
  })

  test('neither waits for a change nor delays one', async () => {
    await change('key', ids(1))
    await age(1, 16)
    await db.acrossTenants(async (tx) => {
      expect(await purgeInvalidations(tx)).toBe(1)
      await change('key', ids(1))
    })
    expect(await readInvalidated(1)).toHaveLength(1)
  })
})

/** Reads the incarnation while a function of this test replaces the system function `name()`, by the search path. */
async function incarnationWith(name: string, value: string) {
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  try {
    await owner.query('BEGIN')
    await owner.query('CREATE SCHEMA replaced')
    await owner.query(
      `CREATE FUNCTION replaced.${name}() RETURNS ${value === 'true' ? 'boolean' : 'timestamptz'} LANGUAGE sql AS 'SELECT ${value.replaceAll("'", "''")}'`,
    )
    await owner.query('SET LOCAL search_path = replaced, pg_catalog, public')
    const sessions = { query: async ({ text, values }: Statement) => (await owner.query(text, [...values])).rows }
    return (await selectVersions(sessions, [0]))[0]?.incarnation
  } finally {
    await owner.query('ROLLBACK')
    await owner.end()
  }
}
