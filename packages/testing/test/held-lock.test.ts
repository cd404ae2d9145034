import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { type PrivateDatabase, privateDatabase } from '../src/database/database.ts'
import { holdLock, whileLocked } from '../src/database/held-lock.ts'

let database: PrivateDatabase
beforeAll(async () => {
  database = await privateDatabase('rbac')
})
afterAll(() => database.drop())

test('sees sessions that were opened after an earlier wait', async () => {
  const locking = 'SELECT 1 FROM authz_epoch FOR UPDATE'
  const lock = await holdLock(database.ownerUrl, locking)
  const waits: Promise<pg.QueryResult>[] = []
  const clients: pg.Client[] = []
  for (const count of [1, 2]) {
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    clients.push(client)
    waits.push(client.query(locking))
    await lock.untilWaiting(count)
  }
  await lock.release()
  expect((await Promise.all(waits)).map(({ rowCount }) => rowCount)).toEqual([1, 1])
  await Promise.all(clients.map((client) => client.end()))
})

test('throws for work that waits for the locked rows, and not for work that skips them', async () => {
  const lock = 'SELECT 1 FROM authz_epoch FOR UPDATE'
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  const locked = (sql: string) => whileLocked(database.ownerUrl, [lock], async () => (await client.query(sql)).rowCount)
  expect(await locked(`${lock} SKIP LOCKED`)).toBe(0)
  await expect(locked(lock)).rejects.toThrow(`waited for the rows of: ${lock}`)
  await client.end()
})
