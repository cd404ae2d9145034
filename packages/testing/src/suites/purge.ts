import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { purgeRowsMax } from '@payments/chassis/database/purges'
import type { Scheduled } from '@payments/chassis/process/schedule'
import { whileLocked } from '../database/held-lock.ts'
import type { OwnerRows } from '../services/service-world.ts'
import { runJobs } from './run-jobs.ts'

/** A service whose jobs purge tables. */
export interface PurgeSubject {
  readonly database: { readonly ownerUrl: string }
  readonly rows: OwnerRows
}

/** A table, and how a test makes a row of it that is older than its retention, or that is not. */
export interface PurgedTable {
  readonly table: string
  /** A column with a different value for each row. */
  readonly key: string
  /** The rest of `INSERT INTO <table>`. `$1`: the key, a UUID. `$2`: the age, an interval. */
  readonly row: string
  readonly expiredAge: string
  readonly retainedAge: string
  /** Creates what a row refers to, and returns its id. Default: a random key. */
  readonly newKey?: () => Promise<string>
}

const idempotencyKeys: PurgedTable = {
  table: 'idempotency_keys',
  key: 'key',
  row: `(tenant_id, key, fingerprint, expires_at) VALUES (gen_random_uuid(), $1, '', now() - $2::text::interval)`,
  expiredAge: '1 second',
  retainedAge: '-1 minute',
}

/**
 * The tests that each service with Idempotency-Keys has: its jobs delete the rows of all tenants that are older than
 * their retention, and wait for no locked row.
 *
 * @param start - Starts the jobs of the service.
 * @param tables - The tables beside `idempotency_keys`.
 */
export function purgeSuite<S extends PurgeSubject>(
  currentSubject: () => S,
  start: (subject: S) => Scheduled | readonly Scheduled[],
  tables: readonly PurgedTable[] = [],
): void {
  test('a run deletes the expired Idempotency-Keys of more than one transaction', async () => {
    const { rows } = currentSubject()
    const tenantId = randomUUID()
    const left = async () => (await rows('SELECT 1 FROM idempotency_keys WHERE tenant_id = $1::uuid', tenantId)).length
    await rows(
      `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, expires_at)
       SELECT $1::uuid, n, '', now() - interval '1 second' FROM generate_series(1, 2 * ${purgeRowsMax} + 1) AS n
       RETURNING 1`,
      tenantId,
    )
    await runJobs(() => start(currentSubject()))
    expect(await left()).toBe(0)
  })

  test.each([idempotencyKeys, ...tables])(
    'the jobs delete the expired rows of $table of every tenant, and no other rows; they skip a locked row',
    async ({ table, key, row, expiredAge, retainedAge, newKey = async () => randomUUID() }) => {
      const { database, rows } = currentSubject()
      const insert = async (age: string) => {
        const id = await newKey()
        expect(await rows(`INSERT INTO ${table} ${row} RETURNING 1`, id, age)).toHaveLength(1)
        return id
      }
      const [locked, expired, retained] = [
        await insert(expiredAge),
        await insert(expiredAge),
        await insert(retainedAge),
      ]
      const left = async () => {
        const sql = `SELECT ${key}::text AS id FROM ${table} WHERE ${key}::text = ANY ($1)`
        return (await rows<{ id: string }>(sql, [locked, expired, retained])).map(({ id }) => id).sort()
      }
      const run = () => runJobs(() => start(currentSubject()))
      const lock = `SELECT 1 FROM ${table} WHERE ${key}::text = $1 FOR UPDATE`
      await whileLocked(database.ownerUrl, [lock, locked], run)
      expect(await left()).toEqual([locked, retained].sort())
      await run()
      expect(await left()).toEqual([retained])
    },
  )
}
