import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { App } from '@payments/chassis/request/app'
import type { RotationProgress } from '@payments/contracts/endpoints/key-rotation'
import type { Contract } from '@payments/contracts/grammar/contract'
import { openVault } from '@payments/vault/open'
import type { EncryptedColumn } from '@payments/vault/reencrypt'
import type { Vault } from '@payments/vault/vault'
import { createCallers } from '../calls/caller.ts'
import type { OwnerRows } from '../services/service-world.ts'
import type { Subject } from './contract-suite.ts'

/** A service that stores secrets, on its own database. */
export interface SecretsSubject extends Subject {
  readonly rows: OwnerRows
  readonly db: Pick<Transactions<SqlTx>, 'inTenant' | 'readInTenant'>
  /** The key-encryption key of `app`, by its id. */
  readonly vaultKeys: ReadonlyMap<string, KeyObject>
  /** The app of a process with other keys. */
  appWith(vault: Vault): App
}

/** Shows the secrets of one tenant in clear, by the API of an app. */
type Show = (app: App) => Promise<unknown>

/** An instant after all that is stored, and not in the future for the service. */
const soon = () => new Date(Date.now() + 1).toISOString()

interface Rotation extends ReturnType<typeof createRotation> {}

/** The calls and rows of a rotation. */
function createRotation(
  contract: Contract,
  columns: readonly EncryptedColumn[],
  currentSubject: () => SecretsSubject,
  store: () => Promise<Show>,
) {
  const rows: OwnerRows = (sql, ...values) => currentSubject().rows(sql, ...values)

  async function tenants(count: number): Promise<{ all: Show; before: unknown[] }> {
    const shows: Show[] = []
    for (let i = 0; i < count; i += 1) shows.push(await store())
    const all = (app: App) => Promise.all(shows.map((show) => show(app)))
    const before = await all(currentSubject().app)
    expect(new Set(before.map((shown) => JSON.stringify(shown))).size).toBe(count)
    return { all, before }
  }

  const appWith = (keys: ReadonlyMap<string, KeyObject>, current: string) =>
    currentSubject().appWith(
      openVault({ VAULT_KEYS: keys, VAULT_KEY_CURRENT: current }, currentSubject().db, createMetrics('test').registry),
    )
  /** The app of a process with the keys of the subject and a new current one, `next`. */
  const appUnderNext = (next = createSecretKey(randomBytes(32))) =>
    appWith(new Map([...currentSubject().vaultKeys, ['next', next]]), 'next')

  const call = (app: App, path: 'rewrap' | 'reencrypt', body: object) =>
    createCallers(contract, currentSubject().edgeKey, app).asOperator().post(`/internal/secrets/${path}`, body)

  /** Calls until `next` is null, as payctl does. */
  async function batches(app: App, path: 'rewrap' | 'reencrypt', given: { limit: number; since?: string }) {
    const replies: RotationProgress[] = []
    let body: object = { ...given, after: null }
    while (replies.length < 100) {
      const { status, body: reply } = await call(app, path, body)
      expect(status).toBe(200)
      replies.push(reply)
      if (reply.next === null) return replies
      body = { ...given, after: reply.next, current: reply.current }
    }
    throw new Error('the rotation did not end after 100 batches')
  }
  /** The data key of each secret: a secret starts with a version and the id of its data key. */
  const dataKeys = async () => {
    const each = columns.map(
      ({ table, column }) => `SELECT encode(substring(${column} FROM 2 FOR 16), 'hex') AS key
        FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    return (await rows<{ key: string }>(each.join(' UNION ALL '))).map(({ key }) => key)
  }
  return { columns, currentSubject, rows, tenants, appWith, appUnderNext, call, batches, dataKeys }
}

const listProgress = (replies: RotationProgress[]) =>
  replies.map(({ done, failed, remaining }) => [done, failed, remaining])
const sumDone = (replies: RotationProgress[]) => replies.reduce((sum, { done }) => sum + done, 0)

/**
 * The tests that each service with secrets has, about the rotation of its keys.
 *
 * @param columns - As the service declares them.
 * @param store - Stores a secret in each of the columns, for a new tenant.
 */
export function secretsSuite(
  contract: Contract,
  columns: readonly EncryptedColumn[],
  currentSubject: () => SecretsSubject,
  store: () => Promise<Show>,
): void {
  const rotation = createRotation(contract, columns, currentSubject, store)
  // A rotation covers the secrets of all tenants.
  beforeEach(async () => {
    const tables = new Set([...columns.map(({ table }) => table), 'data_keys'])
    await rotation.rows(`TRUNCATE ${[...tables].join(', ')} CASCADE`)
  })
  describe('rewrapDataKeys', () => rewrapTests(rotation))
  describe('reencryptSecrets', () => {
    reencryptTests(rotation)
    rejectionTests(rotation)
  })
}

function rewrapTests({ currentSubject, rows, tenants, appWith, appUnderNext, call, batches }: Rotation): void {
  const kekIds = async () =>
    (await rows<{ kek: string }>('SELECT kek_id AS kek FROM data_keys ORDER BY 1')).map(({ kek }) => kek)

  test('wraps the data keys of every tenant with the current key in batches, and reports progress', async () => {
    const { all, before } = await tenants(5)
    const app = appUnderNext()
    const replies = await batches(app, 'rewrap', { limit: 2 })
    expect(listProgress(replies)).toEqual([
      [2, 0, 3],
      [2, 0, 1],
      [1, 0, 0],
    ])
    expect(await kekIds()).toEqual(Array(5).fill('next'))
    expect(await all(app)).toEqual(before)
    expect(listProgress(await batches(app, 'rewrap', { limit: 2 }))).toEqual([[0, 0, 0]])
  })

  test('afterwards a process without the previous key decrypts every secret', async () => {
    const { all, before } = await tenants(2)
    const next = createSecretKey(randomBytes(32))
    await batches(appUnderNext(next), 'rewrap', { limit: 10 })
    expect(await all(appWith(new Map([['next', next]]), 'next'))).toEqual(before)
  })

  test('an interrupted run continues when it is started again, and repeats nothing', async () => {
    await tenants(4)
    const app = appUnderNext()
    const first = await call(app, 'rewrap', { after: null, limit: 1 })
    expect(first.body).toMatchObject({ done: 1, remaining: 3, current: 'next' })
    expect(listProgress(await batches(app, 'rewrap', { limit: 10 }))).toEqual([[3, 0, 0]])
  })

  test('skips and counts a data key that cannot be unwrapped, and leaves it unchanged', async () => {
    await tenants(3)
    await rows(`UPDATE data_keys SET kek_id = 'lost' WHERE id = (SELECT min(id::text)::uuid FROM data_keys)`)
    const replies = await batches(appUnderNext(), 'rewrap', { limit: 1 })
    expect(listProgress(replies)).toEqual([
      [0, 1, 2],
      [1, 0, 1],
      [1, 0, 0],
      [0, 0, 0],
    ])
    expect(await kekIds()).toEqual(['lost', 'next', 'next'])
  })

  test('two concurrent runs process each data key once', async () => {
    await tenants(6)
    const app = appUnderNext()
    const run = () => batches(app, 'rewrap', { limit: 10 })
    expect(sumDone((await Promise.all([run(), run()])).flat())).toBe(6)
    expect(await kekIds()).toEqual(Array(6).fill('next'))
  })

  test('a process with another current key rejects the batch, so that two processes do not undo each other', async () => {
    const { status, body } = await call(currentSubject().app, 'rewrap', { after: null, limit: 10, current: 'another' })
    expect([status, body.code]).toEqual([409, 'other_key_current'])
  })
}

function reencryptTests({ columns, currentSubject, rows, tenants, call, batches, dataKeys }: Rotation): void {
  test('encrypts every secret under a newer data key of its tenant, without changing it', async () => {
    const { app } = currentSubject()
    const { all, before } = await tenants(2)
    const [secrets, previous] = [await dataKeys(), new Set(await dataKeys())]
    expect([secrets.length, previous.size]).toEqual([2 * columns.length, 2])
    const since = soon()
    const replies = await batches(app, 'reencrypt', { limit: 2, since })
    expect(sumDone(replies)).toBe(secrets.length)
    expect(replies.at(-1)).toMatchObject({ failed: 0, remaining: 0, next: null })
    const current = await dataKeys()
    expect([current.filter((key) => previous.has(key)), new Set(current).size]).toEqual([[], 2])
    expect(await all(app)).toEqual(before)
    expect(listProgress(await batches(app, 'reencrypt', { limit: 10, since }))).toEqual([[0, 0, 0]])
  })

  test('an interrupted run continues when it is started again with the same instant, and repeats nothing', async () => {
    const { app } = currentSubject()
    await tenants(2)
    const since = soon()
    const { body: first } = await call(app, 'reencrypt', { after: null, limit: 1, since })
    expect(first.done + first.remaining).toBe(2 * columns.length)
    expect(listProgress(await batches(app, 'reencrypt', { limit: 10, since }))).toEqual([[first.remaining, 0, 0]])
    expect(await rows('SELECT id FROM data_keys')).toHaveLength(4)
  })

  test('two concurrent runs process each secret once, and each tenant gets one data key', async () => {
    const { app } = currentSubject()
    const { all, before } = await tenants(2)
    const since = soon()
    const run = () => batches(app, 'reencrypt', { limit: 10, since })
    expect(sumDone((await Promise.all([run(), run()])).flat())).toBe(2 * columns.length)
    expect(await rows('SELECT id FROM data_keys')).toHaveLength(4)
    expect(await all(app)).toEqual(before)
  })
}

function rejectionTests({ columns, currentSubject, rows, tenants, call, batches }: Rotation): void {
  test.each(columns)(
    'skips and counts a secret of $table in $column that cannot be decrypted, and leaves it unchanged',
    async ({ table, id, column }) => {
      const { app } = currentSubject()
      await tenants(2)
      const [row] = await rows<{ id: string }>(
        `UPDATE ${table} SET ${column} = set_byte(${column}, 30, 255 - get_byte(${column}, 30))
         WHERE ${id} = (SELECT min(${id}::text)::uuid FROM ${table}) RETURNING ${id}::text AS id`,
      )
      const read = () => rows(`SELECT ${column} FROM ${table} WHERE ${id} = $1::uuid`, row?.id)
      const before = await read()
      const replies = await batches(app, 'reencrypt', { limit: 10, since: soon() })
      expect(listProgress(replies)).toEqual([[2 * columns.length - 1, 1, 0]])
      expect(await read()).toEqual(before)
    },
  )

  test('rejects another current key-encryption key and an instant in the future', async () => {
    const { app } = currentSubject()
    const rejected = await call(app, 'reencrypt', { after: null, limit: 1, since: soon(), current: 'another' })
    expect([rejected.status, rejected.body.code]).toEqual([409, 'other_key_current'])
    const since = new Date(Date.now() + 3_600_000).toISOString()
    const early = await call(app, 'reencrypt', { after: null, limit: 1, since })
    expect([early.status, early.body.code]).toEqual([422, 'since_in_the_future'])
  })
}
