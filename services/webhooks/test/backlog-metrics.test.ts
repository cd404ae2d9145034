import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { testPool } from '@payments/testing/database/database'
import { measureBacklog } from '../src/dispatch/backlog.ts'
import { openDispatcherDatabase } from '../src/dispatch/database.ts'
import { createDispatchMetrics } from '../src/dispatch/metrics.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let dispatcher: Awaited<ReturnType<World['dispatch']>>
beforeAll(async () => {
  world = await startWorld()
  dispatcher = await world.dispatch()
})
afterAll(() => world.stop())

test('the gauge of unfinished fan-outs counts events whose later pages are not stored', async () => {
  const db = openDispatcherDatabase(world.database.url, testPool)
  const { registry } = createMetrics('test')
  const metrics = createDispatchMetrics(registry)
  await world.db.acrossTenants((tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO unfinished_fan_outs (id, tenant_id, tenant_event_id, occurred_at, position, deliveries, due_at)
       SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), gen_random_uuid(), 16, now() + interval '1 hour'
       FROM generate_series(1, 3)`,
    ),
  )
  await measureBacklog({ db, metrics })
  expect(await registry.metrics()).toMatch(/^webhook_fan_outs_unfinished\{.*\} 3$/m)
  await db.close()
})

test('the gauges of the backlog count held deliveries, and those that may be sent separately', async () => {
  const subscribed = await subscribe(world, 'https://hooks.example.com/payments', { enabled: false })
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  await settled(subscribed, 'held')
  await dispatcher.stop()
  const db = openDispatcherDatabase(world.database.url, testPool)
  const { registry } = createMetrics('test')
  const metrics = createDispatchMetrics(registry)
  const measured = async () => {
    await measureBacklog({ db, metrics })
    const exported = await registry.metrics()
    return ['deliveries_backlogged', 'deliveries_dispatchable', 'oldest_dispatchable_age_seconds'].map((name) =>
      Number(new RegExp(`^webhook_${name}\\{.*\\} (.*)$`, 'm').exec(exported)?.[1]),
    )
  }
  expect(await measured()).toEqual([1, 0, 0])
  await db.crossTenant.$executeRawUnsafe(`UPDATE deliveries SET updated_at = now() - interval '1 hour'`)
  expect(await measured()).toEqual([1, 0, 0])
  await db.crossTenant.$executeRawUnsafe('UPDATE subscriptions SET enabled = true')
  const [backlogged, dispatchable, ageSeconds = 0] = await measured()
  expect([backlogged, dispatchable]).toEqual([1, 1])
  expect(ageSeconds).toBeGreaterThanOrEqual(3_600)
  await db.crossTenant.$executeRawUnsafe(
    `UPDATE destinations SET breaker = 'open', probe_at = now() + interval '1 day'`,
  )
  expect(await measured()).toEqual([1, 0, 0])
  await db.close()
})
