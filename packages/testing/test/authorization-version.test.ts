import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  epochModels,
  epochRow,
  purgeInvalidations,
  readAuthorizationVersion,
  recordAuthorizationChange,
} from '@payments/chassis/authorization-version'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database'
import pg from 'pg'
import { poolAsDatabase } from './pool-as-database.ts'
import { untilLockAwaited } from './until-lock-awaited.ts'

/** On the tables of rbac, which are those of every owner. */
let database: PrivateDatabase
let pool: pg.Pool
let db: Transactions<SqlTx>

beforeEach(async () => {
  database = await privateDatabase('rbac')
  pool = new pg.Pool({ connectionString: database.url, max: 12 })
  db = transactions(poolAsDatabase(pool), () => {})
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

const ids = (n: number) => Array.from({ length: n }, () => randomUUID())
const sql = (query: string, ...values: unknown[]) => db.acrossTenants((tx) => tx.$executeRawUnsafe(query, ...values))
const change = (kind: 'key' | 'role' | 'tenant', changed: string[]) =>
  db.acrossTenants(async (tx) => recordAuthorizationChange(tx, kind, changed))
const read = (since?: number) => db.acrossTenants((tx) => readAuthorizationVersion(tx, since))
const named = async (since: number) => (await read(since)).invalidated

test('the tables are the same in every owner, and each has its row from the migration that makes them', () => {
  const services = resolve(import.meta.dirname, '..', '..', '..', 'services')
  const text = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ') : '')
  const owners = readdirSync(services)
    .map((service) => join(services, service, 'prisma'))
    .filter((prisma) => text(join(prisma, 'schema.prisma')).includes('model AuthzEpoch'))
  expect(owners.length).toBeGreaterThan(0)
  for (const prisma of owners) {
    for (const model of epochModels.split('\n\nmodel')) {
      expect(text(join(prisma, 'schema.prisma'))).toContain(model.replaceAll(/\s+/g, ' '))
    }
    const migrations = readdirSync(join(prisma, 'migrations')).map((name) =>
      join(prisma, 'migrations', name, 'migration.sql'),
    )
    const making = migrations.map(text).filter((sql) => sql.includes('CREATE TABLE "authz_epoch"'))
    expect(making).toHaveLength(1)
    expect(making[0]).toContain(epochRow.replaceAll(/\s+/g, ' '))
  }
})

describe('recordAuthorizationChange', () => {
  test('moves the epoch by one for each transaction, however often it is called, and names each thing once', async () => {
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

  test('a transaction that records nothing moves nothing', async () => {
    await sql('SELECT 1')
    expect((await read(0)).epoch).toBe(0)
  })

  test('rolled back, neither the count nor the names are there', async () => {
    const broken = db.acrossTenants(async (tx) => {
      recordAuthorizationChange(tx, 'key', ids(1))
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect(await read(0)).toMatchObject({ epoch: 0, invalidated: [] })
  })

  test('holds no lock while the work goes on: another change overtakes it, and is counted first', async () => {
    const [slow = '', fast = ''] = ids(2)
    await db.acrossTenants(async (tx) => {
      recordAuthorizationChange(tx, 'key', [slow])
      await change('key', [fast])
      expect(await named(0)).toEqual([{ kind: 'key', id: fast }])
    })
    expect(await named(1)).toEqual([{ kind: 'key', id: slow }])
  })

  test('commits in the order of the epochs: one that waits for another is counted after it, and readers wait for neither', async () => {
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
      expect((await named(0))?.map(({ id }) => id)).toEqual([first, second])
      expect(await named(1)).toEqual([{ kind: 'key', id: second }])
    } finally {
      await holder.end()
    }
  })

  test('twenty at once are gapless', async () => {
    await Promise.all(ids(20).map((id) => change('role', [id])))
    const { epoch, invalidated } = await read(0)
    expect([epoch, invalidated?.length]).toEqual([20, 20])
    expect((await named(13))?.length).toBe(7)
  })

  test('without the row nothing commits: a change of which nobody would learn', async () => {
    await sql('DELETE FROM authz_epoch')
    const lost = db.acrossTenants(async (tx) => {
      await tx.$executeRawUnsafe(`INSERT INTO authz_invalidations VALUES (99, 'key', $1::uuid, now())`, randomUUID())
      recordAuthorizationChange(tx, 'key', ids(1))
    })
    await expect(lost).rejects.toThrow('authz_epoch has no row')
    expect(await sql('DELETE FROM authz_invalidations')).toBe(0)
  })

  test('there is never a second row', async () => {
    await expect(sql('INSERT INTO authz_epoch (id) VALUES (2)')).rejects.toThrow('authz_epoch_one_row')
  })

  test('outside a transaction of ours, or after its end, it throws: the epoch would not move', async () => {
    let ended: SqlTx | undefined
    await db.acrossTenants(async (tx) => {
      ended = tx
    })
    const strangers: SqlTx[] = [{ $queryRawUnsafe: async () => [] as never, $executeRawUnsafe: async () => 0 }]
    if (ended !== undefined) strangers.push(ended)
    expect(strangers).toHaveLength(2)
    for (const tx of strangers) expect(() => recordAuthorizationChange(tx, 'key', ids(1))).toThrow('beforeCommit')
  })
})

describe('readAuthorizationVersion', () => {
  test('names nothing to who is up to date, and what came after to who is not', async () => {
    const changed = ids(3)
    for (const id of changed) await change('key', [id])
    expect(await named(3)).toEqual([])
    expect(await named(1)).toEqual(changed.slice(1).map((id) => ({ kind: 'key', id })))
  })

  test('tells to forget everything to who knows no epoch, or one that is not yet', async () => {
    await change('key', ids(1))
    expect(await read()).toMatchObject({ epoch: 1, invalidated: null })
    expect(await named(2)).toBeNull()
  })

  test('tells to forget everything where an epoch left no row', async () => {
    for (const id of ids(4)) await change('key', [id])
    await sql('DELETE FROM authz_invalidations WHERE epoch = 3')
    expect([await named(0), await named(1), await named(2)]).toEqual([null, null, null])
    expect(await named(3)).toHaveLength(1)
  })

  test('names a thousand changes, and tells to forget everything where there are more, wherever the answer would be cut', async () => {
    await change('key', ids(1000))
    expect(await named(0)).toHaveLength(1000)
    await change('key', ids(1))
    expect(await named(0)).toBeNull()
    expect(await named(1)).toHaveLength(1)
    await sql('DELETE FROM authz_invalidations')
    await sql('UPDATE authz_epoch SET epoch = 0')
    await change('key', ids(999))
    await change('key', ids(2))
    expect(await named(0)).toBeNull()
  })

  test('a change of more than can be named moves the epoch, and tells everybody to forget everything', async () => {
    await change('key', ids(1001))
    expect(await read(0)).toMatchObject({ epoch: 1, invalidated: null })
    expect(await named(1)).toEqual([])
  })

  test('the incarnation stays over changes, and is another in another database and after a repair by hand', async () => {
    const other = await privateDatabase('rbac')
    const otherPool = new pg.Pool({ connectionString: other.url })
    try {
      const before = await read()
      await change('key', ids(1))
      expect((await read()).incarnation).toBe(before.incarnation)
      // Both are clones of one template, so that what is stored is the same.
      const elsewhere = await transactions(poolAsDatabase(otherPool), () => {}).acrossTenants((tx) =>
        readAuthorizationVersion(tx, 0),
      )
      expect(elsewhere.incarnation).not.toBe(before.incarnation)
      await sql('UPDATE authz_epoch SET incarnation = gen_random_uuid()')
      expect((await read()).incarnation).not.toBe(before.incarnation)
    } finally {
      await otherPool.end()
      await other.drop()
    }
  })

  test('a server that was started anew is another incarnation', async () => {
    const { incarnation } = await read()
    const [name, start] = ['pg_postmaster_start_time', `timestamptz '2001-01-01'`]
    expect((await readWith(name, start)).incarnation).not.toBe(incarnation)
    expect((await readWith('unrelated', start)).incarnation).toBe(incarnation)
  })

  test('a server in recovery is not asked', async () => {
    await expect(readWith('pg_is_in_recovery', 'true')).rejects.toThrow('in recovery')
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

  test('forgets what is older than 15 minutes; who would need it forgets everything', async () => {
    for (const id of ids(4)) await change('key', [id])
    await age(1, 16)
    await age(2, 16)
    await age(3, 14)
    expect(await purge()).toBe(2)
    expect([await named(0), await named(1)]).toEqual([null, null])
    expect([(await named(2))?.length, (await named(3))?.length]).toEqual([2, 1])
    expect(await purge()).toBe(0)
  })

  test('takes whole epochs, so that nobody is told half of a change', async () => {
    await change('key', ids(3))
    await change('key', ids(3))
    await age(1, 16)
    await age(2, 16)
    expect(await purge(1)).toBe(3)
    expect(await named(0)).toBeNull()
    expect(await named(1)).toHaveLength(3)
  })

  test('keeps the changes of 100 000 epochs at most', async () => {
    await change('key', ids(1))
    await change('key', ids(1))
    await sql('UPDATE authz_epoch SET epoch = 100001')
    expect(await purge()).toBe(1)
    expect(await named(1)).toBeNull()
  })

  test('waits for nobody who changes power, and is waited for by nobody', async () => {
    await change('key', ids(1))
    await age(1, 16)
    await db.acrossTenants(async (tx) => {
      expect(await purgeInvalidations(tx)).toBe(1)
      await change('key', ids(1))
    })
    expect(await named(1)).toHaveLength(1)
  })
})

/** Reads while `name()` is a function of ours: names are sought in our schema before the system's. */
async function readWith(name: string, value: string) {
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  try {
    await owner.query('BEGIN')
    await owner.query('CREATE SCHEMA feigned')
    await owner.query(
      `CREATE FUNCTION feigned.${name}() RETURNS ${value === 'true' ? 'boolean' : 'timestamptz'} LANGUAGE sql AS 'SELECT ${value.replaceAll("'", "''")}'`,
    )
    await owner.query('SET LOCAL search_path = feigned, pg_catalog, public')
    const tx: SqlTx = {
      $queryRawUnsafe: async <T>(query: string, ...values: unknown[]) => (await owner.query(query, values)).rows as T,
      $executeRawUnsafe: async () => 0,
    }
    return await readAuthorizationVersion(tx, 0)
  } finally {
    await owner.query('ROLLBACK')
    await owner.end()
  }
}
