import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openVersionSessions, selectVersions } from '@payments/chassis/database/authorization-version-reads'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'

/** Uses the tables of rbac, which are the same in every authorization source. */
let database: PrivateDatabase
let sessions: ReturnType<typeof openVersionSessions>
beforeEach(async () => {
  database = await privateDatabase('rbac')
  sessions = openVersionSessions(database.url)
})
afterEach(async () => {
  await sessions.close()
  await database.drop()
})

const read = async (since: number | undefined) => (await selectVersions(sessions, [since]))[0]

test('reads the version without a transaction', async () => {
  const first = await read(undefined)
  expect(first).toMatchObject({ epoch: 0, invalidated: null })
  expect(await read(0)).toEqual({ ...first, invalidated: [] })
})

test('prepares the statement', async () => {
  await read(0)
  const text = 'SELECT statement FROM pg_prepared_statements'
  const prepared = await sessions.query({ text, values: [] })
  expect(prepared).toContainEqual({ statement: expect.stringContaining('FROM authz_epoch, pg_database') })
})

test('opens another session after the server ended one', async () => {
  await read(0)
  const other = new pg.Client(database.url)
  await other.connect()
  const ended = await other.query(
    'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await other.end()
  expect(ended.rowCount).toBe(1)
  const deadlineAt = Date.now() + 10_000
  for (;;) {
    const reply = await read(0).catch(() => undefined)
    if (reply !== undefined) break
    if (Date.now() > deadlineAt) throw new Error('no session was opened')
  }
})
