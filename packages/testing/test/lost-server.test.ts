import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createVersionReads, openVersionSessions } from '@payments/chassis/database/authorization-version-reads'
import { DatabaseUnavailable } from '@payments/chassis/database/errors'
import { poolSettings, responseWaitMsMax } from '@payments/chassis/database/pool'
import { openSessionPool, type SessionPool } from '@payments/chassis/database/session'
import { freePorts } from '@payments/devkit/machine/ports'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { databaseOn } from './pool-as-database.ts'

/** Sessions whose server falls silent, as after the loss of its host, while new sessions are accepted. */
let database: PrivateDatabase
let proxy: TcpProxy
let pool: SessionPool
beforeEach(async () => {
  database = await privateDatabase('rbac')
  const [port = 0] = await freePorts(1)
  proxy = await tcpProxy(port, database.url)
  pool = openSessionPool(proxy.url, { max: 2, responseMsMax: 500 })
})
afterEach(async () => {
  await pool.end()
  await proxy.cut()
  await database.drop()
})

const select = { text: 'SELECT 1 AS one', values: [] }
const selectTwice = () => Promise.allSettled([pool.statement(select), pool.statement(select)])
const listOutcomes = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((one) => (one.status === 'rejected' ? one.reason.code : one.status))

test('a session without a response ends, and its pool opens another one', async () => {
  expect(listOutcomes(await selectTwice())).toEqual(['fulfilled', 'fulfilled'])
  proxy.hold()
  expect(listOutcomes(await selectTwice())).toEqual(['ETIMEDOUT', 'ETIMEDOUT'])
  expect(listOutcomes(await selectTwice())).toEqual(['fulfilled', 'fulfilled'])
}, 60_000)

test('a transaction whose server is lost before COMMIT is known to have no effect', async () => {
  const db = databaseOn(pool)
  const lost = db.acrossTenants(async (tx) => {
    await tx.$queryRawUnsafe(select.text)
    proxy.hold()
    return tx.$queryRawUnsafe(select.text)
  })
  await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(await db.acrossTenants((tx) => tx.$queryRawUnsafe(select.text))).toEqual([{ one: 1 }])
}, 60_000)

test('reads of the authorization version continue after each loss', async () => {
  const sessions = openVersionSessions(proxy.url)
  const { read } = createVersionReads(sessions)
  const deadlineAt = performance.now() + 60_000
  const untilRead = async (): Promise<number> => {
    const reply = await read(undefined).catch(() => undefined)
    if (reply === undefined && performance.now() < deadlineAt) return untilRead()
    return reply?.epoch ?? Number.NaN
  }
  for (let losses = 0; losses < 3; losses += 1) {
    expect(await untilRead()).toBe(0)
    proxy.hold()
  }
  expect(await untilRead()).toBe(0)
  await sessions.close()
}, 120_000)

test('a response that arrived while the process stood still counts', async () => {
  await pool.statement(select)
  const reply = pool.statement(select)
  const until = performance.now() + 2_000
  while (performance.now() < until);
  expect((await reply).rows).toEqual([{ one: 1 }])
}, 60_000)

test('the server ends a statement before its session ends', () => {
  expect(poolSettings.statement_timeout).toBeLessThan(responseWaitMsMax)
})
