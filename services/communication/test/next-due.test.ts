import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTurns } from '@payments/chassis/database/turns'
import { startWorld, type World } from './world.ts'

/** Without a loop: the messages wait. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const turns = createTurns('communications')
const nextDue = (now?: Date) => turns.nextDue(world.db.crossTenant, now)
const postpone = (tenantId: string, seconds: number) =>
  world.rows(
    `UPDATE communications SET due_at = clock_timestamp() + $2::int * interval '1 second' WHERE tenant_id = $1::uuid
     RETURNING 1`,
    tenantId,
    seconds,
  )

test('a look finds when the first message of all tenants is due, and nothing without messages', async () => {
  expect(await nextDue()).toBeNull()
  const [sooner, later] = [world.tenant(), world.tenant()]
  for (const tenant of [sooner, later]) await tenant.send().expect(202)
  await postpone(later.id, 3_600)
  expect(await nextDue()).toBeLessThanOrEqual(0)
  await postpone(sooner.id, 60)
  const dueMs = await nextDue()
  expect(dueMs).toBeGreaterThan(0)
  expect(dueMs).toBeLessThanOrEqual(60_000)
  expect(await nextDue(new Date(Date.now() + 120_000))).toBeLessThanOrEqual(0)
})
