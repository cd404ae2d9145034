import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createRequestCounter } from '../src/request-rates/request-counter.ts'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Reports to a process that has stored no presence before. */
const count = (replica: string, ...reported: [subject: string, requests: number, perSecond?: number][]) => {
  const requests = reported.map(([subject, admitted, per_second = 1]) => ({ subject, requests: admitted, per_second }))
  return createRequestCounter(world.db.sql)({ replica, requests })
}

test('adds the requests of all replicas, and responds in the order of the report', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const first = await count(one, ['z', 100], ['a', 400, 200])
  expect(first.full_in_seconds[0]).toBeCloseTo(100, 0)
  expect(first.full_in_seconds[1]).toBeCloseTo(2, 1)
  const second = await count(two, ['z', 50])
  expect(second.full_in_seconds[0]).toBeGreaterThan(140)
  expect(second.full_in_seconds[0]).toBeLessThanOrEqual(150)
})

test('adds two counts of one subject in a report', async () => {
  const { full_in_seconds: fullIn } = await count(randomUUID(), ['twice', 100], ['twice', 50])
  expect(fullIn.map(Math.round)).toEqual([150, 150])
})

test('ten reports at once, each with the subjects in another order, lose no request', async () => {
  const subjects = Array.from({ length: 10 }, (_, number) => `at once ${number}`)
  await Promise.all(
    subjects.map((_, by) => {
      const turned = [...subjects.slice(by), ...subjects.slice(0, by)]
      return count(randomUUID(), ...turned.map((subject): [string, number] => [subject, 1_000]))
    }),
  )
  const after = await count(randomUUID(), ...subjects.map((subject): [string, number] => [subject, 1]))
  for (const seconds of after.full_in_seconds) {
    expect(seconds).toBeGreaterThan(9_900)
    expect(seconds).toBeLessThanOrEqual(10_001)
  }
})

test('a bucket that was full for long regains nothing beyond its burst', async () => {
  await count(randomUUID(), ['idle', 1])
  await world.rows(
    `UPDATE request_rates SET full_at = now() - interval '1 hour' WHERE subject = 'idle' RETURNING subject`,
  )
  const { full_in_seconds: fullIn } = await count(randomUUID(), ['idle', 10])
  expect(fullIn[0]).toBeCloseTo(10, 0)
})

test('counts the live replicas: those that reported within three seconds', async () => {
  await world.rows(`UPDATE gateway_replicas SET expires_at = now() - interval '1 second' RETURNING id`)
  const [one, two] = [randomUUID(), randomUUID()]
  expect((await count(one)).replicas).toBe(1)
  expect((await count(two)).replicas).toBe(2)
  expect((await count(one)).replicas).toBe(2)
  const [{ presence }] = (await world.rows<{ presence: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float8 AS presence FROM gateway_replicas WHERE id = $1::uuid`,
    two,
  )) as [{ presence: number }]
  expect(presence).toBeLessThanOrEqual(3)
  await world.rows(
    `UPDATE gateway_replicas SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
    two,
  )
  expect((await count(one)).replicas).toBe(1)
})

test('a purge deletes full buckets and absent replicas, and no others', async () => {
  const [ended, live] = [randomUUID(), randomUUID()]
  await count(ended, ['purged', 1], ['retained', 1_000])
  await count(live)
  await world.rows(
    `UPDATE request_rates SET full_at = now() - interval '1 second' WHERE subject = 'purged' RETURNING subject`,
  )
  await world.rows(
    `UPDATE gateway_replicas SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
    ended,
  )
  await world.rows(
    `UPDATE gateway_replicas SET expires_at = now() + interval '1 hour' WHERE id = $1::uuid RETURNING id`,
    live,
  )
  await purgeExpired(world.deps)
  const subjects = await world.rows(`SELECT subject FROM request_rates WHERE subject IN ('purged', 'retained')`)
  expect(subjects).toEqual([{ subject: 'retained' }])
  const replicas = await world.rows(`SELECT id FROM gateway_replicas WHERE id = ANY ($1::uuid[])`, [ended, live])
  expect(replicas).toEqual([{ id: live }])
})
