import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { createRequestCounter } from '../src/request-rates/request-counter.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A counter whose statements are recorded by the first word of their table, and whose clock the test moves. */
function recorded() {
  const statements: string[] = []
  const time = { nowMs: 1_000 }
  const { sql } = world.db
  const recording: Pick<SqlTx, '$queryRawUnsafe'> = {
    $queryRawUnsafe: (text, ...values) => {
      statements.push(text.includes('gateway_replicas') ? 'replicas' : 'rates')
      return sql.$queryRawUnsafe(text, ...values)
    },
  }
  const count = createRequestCounter({ ...sql, ...recording }, () => time.nowMs)
  return { statements, time, count }
}

const report = (replica: string, ...subjects: readonly string[]) => ({
  replica,
  requests: subjects.map((subject) => ({ subject, requests: 100, per_second: 1 })),
})

test('adds each report once, and responds in its order, whatever shares the statement', async () => {
  const { statements, count } = recorded()
  const replicas = Array.from({ length: 8 }, () => randomUUID())
  const replies = await Promise.all(replicas.map((replica, nth) => count(report(replica, `own ${nth}`, 'common'))))
  expect(statements.filter((table) => table === 'rates')).toHaveLength(2)
  for (const { full_in_seconds: fullIn } of replies.slice(1)) {
    expect(fullIn.map((seconds) => Math.round(seconds))).toEqual([100, 800])
  }
})

test('serves eight reports in a statement, and the others in the order of their arrival', async () => {
  const { statements, count } = recorded()
  await Promise.all(Array.from({ length: 20 }, (_, nth) => count(report(randomUUID(), `turn ${nth}`))))
  expect(statements.filter((table) => table === 'rates')).toHaveLength(4)
})

test('stores the presence of a replica once a second, and counts those of the last three seconds', async () => {
  await world.rows(`UPDATE gateway_replicas SET expires_at = now() - interval '1 second' RETURNING id`)
  const { statements, time, count } = recorded()
  const [one, two] = [randomUUID(), randomUUID()]
  for (let i = 0; i < 10; i += 1) expect((await count(report(one, 'a'))).replicas).toBe(1)
  expect(statements.filter((table) => table === 'replicas')).toHaveLength(1)
  expect((await count(report(two))).replicas).toBe(2)
  expect((await count(report(one))).replicas).toBe(2)
  expect(statements.filter((table) => table === 'replicas')).toHaveLength(2)
  time.nowMs += 1_000
  expect((await count(report(one))).replicas).toBe(2)
  expect(statements.filter((table) => table === 'replicas')).toHaveLength(3)
  const [row] = await world.rows<{ presence: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float8 AS presence FROM gateway_replicas WHERE id = $1::uuid`,
    one,
  )
  expect(row?.presence).toBeGreaterThan(2)
  expect(row?.presence).toBeLessThanOrEqual(3)
})
