import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { registerErasures } from '../src/erasure/metrics.ts'
import { erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

async function ageSeconds(db = world.deps.db): Promise<number> {
  const metrics = createMetrics('communication')
  registerErasures({ db, now: world.deps.now, metrics })
  const [, value] =
    /^payer_oldest_incomplete_erasure_age_seconds\{.*\} (.*)$/m.exec(await metrics.registry.metrics()) ?? []
  return Number(value)
}

test('exports the age of the oldest incomplete erasure until every service is done, and no number without a database', async () => {
  expect(await ageSeconds()).toBe(0)
  const [tenant, other] = [world.tenant(), world.tenant()]
  const started = await erasures.begin(tenant, 'ada@example.com')
  await erasures.begin(other, 'bob@example.com')
  await world.rows(
    `UPDATE payer_erasure_requests SET requested_at = requested_at - interval '2 days' WHERE id = $1::uuid`,
    started.id,
  )
  expect(await ageSeconds()).toBeGreaterThanOrEqual(2 * 24 * 60 * 60)
  await erasures.complete(tenant, started.id)
  expect(await ageSeconds()).toBeLessThan(24 * 60 * 60)
  const db = { ...world.deps.db, acrossTenants: () => Promise.reject(new Error('no database')) }
  expect(await ageSeconds(db)).toBeNaN()
})
