import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import {
  createVersionReads,
  openVersionSessions,
  type VersionSessions,
} from '@payments/chassis/database/authorization-version-reads'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import type { Statement } from '@payments/chassis/database/statement'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import { poolAsDatabase } from './pool-as-database.ts'

/** Uses the tables of rbac, which are the same in every authorization source. */
let database: PrivateDatabase
let pool: SessionPool
let db: Transactions<SqlTx>
let sessions: ReturnType<typeof openVersionSessions>
let statements: readonly unknown[][]

beforeEach(async () => {
  database = await privateDatabase('rbac')
  pool = openSessionPool(database.url)
  db = transactions(poolAsDatabase(pool), { commits: new Commits() })
  sessions = openVersionSessions(database.url)
  statements = []
})
afterEach(async () => {
  await Promise.all([pool.end(), sessions.close()])
  await database.drop()
})

/** `sessions`, whose statements are recorded by their values. */
const recorded: VersionSessions = {
  query: <R>(statement: Statement) => {
    statements = [...statements, [...statement.values]]
    return sessions.query<R>(statement)
  },
}
const ids = (count: number) => Array.from({ length: count }, () => randomUUID())
const change = (changed: readonly string[]) =>
  db.acrossTenants(async (tx) => recordAuthorizationChange(tx, 'key', changed))

test('ten gateways at once cost two statements, and each gets the changes after its own epoch', async () => {
  const changed = ids(10)
  for (const id of changed) await change([id])
  const { read } = createVersionReads(recorded)
  const replies = await Promise.all(changed.map((_, since) => read(since)))
  expect(statements.map(([oldest]) => oldest)).toEqual([0, 1])
  for (const [since, { epoch, invalidated }] of replies.entries()) {
    expect([epoch, invalidated?.map(({ id }) => id)]).toEqual([10, changed.slice(since)])
  }
})

test('a gateway that is 1 500 changes behind invalidates everything, and no other gateway does', async () => {
  const latest = randomUUID()
  for (let commit = 0; commit < 3; commit += 1) await change(ids(500))
  await change([latest])
  const { read } = createVersionReads(recorded)
  const first = read(4)
  const [behind, unknown, current, latestOnly] = await Promise.all([read(0), read(undefined), read(4), read(3)])
  expect((await first).invalidated).toEqual([])
  expect(statements.map(([oldest]) => oldest)).toEqual([4, 0])
  expect([behind.invalidated, unknown.invalidated, current.invalidated]).toEqual([null, null, []])
  expect(latestOnly.invalidated).toEqual([{ kind: 'key', id: latest }])
})

test('names at most 1 000 changes to a gateway, and each of the epoch where its changes begin', async () => {
  await change(ids(600))
  await change(ids(400))
  await change(ids(600))
  const { read } = createVersionReads(recorded)
  const [first, second, third] = await Promise.all([read(0), read(1), read(2)])
  // Of the changes after 0, the newest 1 001 are read: a part of those of the first two epochs.
  expect([first.invalidated, second.invalidated?.length, third.invalidated?.length]).toEqual([null, 1_000, 600])
})

test('a gateway whose epoch is of a later history invalidates everything', async () => {
  await change(ids(1))
  const { read } = createVersionReads(recorded)
  const [ahead, current] = await Promise.all([read(9), read(1)])
  expect([ahead.invalidated, current.invalidated]).toEqual([null, []])
})

test('a change that commits during a read is in the next one, which callers that arrived meanwhile share', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const { read } = createVersionReads({
    query: async <R>(statement: Statement) => {
      const rows = await recorded.query<R>(statement)
      reach()
      if (statements.length === 1) await held
      return rows
    },
  })
  const first = read(0)
  await reached
  await change(ids(1))
  const later = [read(0), read(0)]
  release()
  expect((await first).epoch).toBe(0)
  expect((await Promise.all(later)).map(({ epoch }) => epoch)).toEqual([1, 1])
  expect(statements).toHaveLength(2)
})
