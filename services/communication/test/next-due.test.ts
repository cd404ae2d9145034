import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import { until } from '@payments/testing/services/until'
import { dueMessages } from '../src/delivery/loop.ts'
import { startWorld, type World } from './world.ts'

/** Without a loop: the messages wait. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const loops: ClaimLoop[] = []
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.stop()))
})

/** Longer than a test may last. */
const never = 600_000

/** A loop that ends each claimed message. `claimedAt`: when each was claimed, by its id. */
function startLoop(waits: { intervalMs: number; restMsMax: number }): Map<string, number> {
  const claimedAt = new Map<string, number>()
  const loop = startClaimLoop({
    ...dueMessages(world.delivery),
    ...waits,
    name: 'messages',
    attempt: async ({ id }) => {
      claimedAt.set(id, Date.now())
      await world.rows('UPDATE communications SET due_at = NULL WHERE id = $1::uuid RETURNING 1', id)
    },
    logFields: () => ({}),
    signals: world.db.commits,
    log: world.deps.log,
  })
  loops.push(loop)
  return claimedAt
}

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

test('a loop at rest claims a row at its due time', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.send().expect(202)).body
  await postpone(tenant.id, 1)
  const [{ due_at: dueAt }] = (await world.rows('SELECT due_at FROM communications WHERE id = $1::uuid', id)) as [
    { due_at: Date },
  ]
  const claimedAt = startLoop({ intervalMs: 1, restMsMax: never })
  await until(() => claimedAt.has(id))
  expect(claimedAt.get(id)).toBeGreaterThanOrEqual(dueAt.getTime())
})

test('a loop at rest claims a row that its process commits after the interval, without a wake', async () => {
  const claimedAt = startLoop({ intervalMs: 50, restMsMax: never })
  for (let sent = 0; sent < 3; sent += 1) {
    const { id } = (await world.tenant().send().expect(202)).body
    await until(() => claimedAt.has(id))
  }
  expect(claimedAt.size).toBeGreaterThanOrEqual(3)
})

test('a loop at rest claims the row of another process after the rest', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.send().expect(202)).body
  await postpone(tenant.id, 3_600)
  const claimedAt = startLoop({ intervalMs: 1, restMsMax: 100 })
  await world.rows('UPDATE communications SET due_at = clock_timestamp() WHERE id = $1::uuid RETURNING 1', id)
  await until(() => claimedAt.has(id))
  expect(claimedAt.size).toBeGreaterThan(0)
})
