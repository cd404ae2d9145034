import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { registerOpenWork } from '../src/operation/metrics.ts'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1000

/** The samples by name and state. */
async function exported({ db = world.deps.db } = {}): Promise<ReadonlyMap<string, number>> {
  const metrics = createMetrics('payment-proxy')
  registerOpenWork({ db, now: world.deps.now, metrics })
  const lines = (await metrics.registry.metrics()).matchAll(
    /^(\w+)\{(?:state="(\w+)",)?service="payment-proxy"\} (.*)$/gm,
  )
  return new Map(
    [...lines].map(([, name, state, value]) => [state === undefined ? `${name}` : `${state}`, Number(value)]),
  )
}

test('open operations are exported by state, with the age and the delay of the oldest, until they end', async () => {
  const empty = await exported()
  expect(['in_progress', 'pending', 'unknown', 'needs_review'].map((state) => empty.get(state))).toEqual([0, 0, 0, 0])
  expect(empty.get('payment_oldest_open_operation_age_seconds')).toBe(0)
  expect(empty.get('payment_operation_overdue_seconds')).toBe(0)
  expect(empty.get('provider_events_waiting')).toBe(0)

  const tenant = world.tenant()
  const { body } = await tenant.authorize('unknown_forever')
  await tenant.authorize('pending')
  await tenant.authorize('visa')
  const open = await exported()
  expect([open.get('pending'), open.get('unknown'), open.get('needs_review')]).toEqual([1, 1, 0])

  world.advanceClock(25 * dayMs)
  const old = await exported()
  expect([old.get('pending'), old.get('unknown'), old.get('needs_review')]).toEqual([0, 0, 2])
  expect(old.get('payment_oldest_open_operation_age_seconds')).toBeGreaterThanOrEqual((25 * dayMs) / 1_000)
  expect(old.get('payment_operation_overdue_seconds')).toBeGreaterThan((24 * dayMs) / 1_000)

  await world.resumeOpen()
  const synced = await exported()
  expect(synced.get('payment_operation_overdue_seconds')).toBe(0)
  expect([synced.get('pending'), synced.get('unknown'), synced.get('needs_review')]).toEqual([1, 0, 1])
  expect(body.operations).toHaveLength(1)
})

test('an unavailable database fails none of the other metrics', async () => {
  const db = openDatabase('postgresql://payments:secret@127.0.0.1:1/nowhere')
  const samples = await exported({ db })
  await db.close()
  expect(samples.get('unknown')).toBeNaN()
  expect(samples.get('payment_operation_overdue_seconds')).toBeNaN()
  expect(samples.get('nodejs_heap_size_limit_bytes')).toBeGreaterThan(0)
})
