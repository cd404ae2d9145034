import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { daysAgo, partitionName, partitions } from './partition-world.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
  endpoint = await receiver()
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

const withPartition = (days: number) =>
  world.db.acrossTenants((tx) => tx.$queryRawUnsafe(`SELECT webhooks_make_partitions($1::int, 0)`, days))

const counts = () =>
  world.db.acrossTenants(async (tx) => [await tx.event.count(), await tx.delivery.count(), await tx.attempt.count()])

const purge = async (keepDays: number) =>
  (await world.asOperator.post('/internal/deliveries/purge', { keep_days: keepDays })).body as {
    partitions_dropped: number
    rows_deleted: number
  }

test('deletes an event, its deliveries and attempts with the day of the event, and nothing newer', async () => {
  await withPartition(40)
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = subscribed
  for (const days of [35, 31, 30, 29, 0]) {
    await world.publish(someEvent(tenantId, unitId, { occurred_at: daysAgo(days).toISOString() }))
  }
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 5)
  expect(await counts()).toEqual([5, 5, 5])

  expect(await purge(30)).toEqual({ partitions_dropped: 3 * 10, rows_deleted: 0 })
  expect(await counts()).toEqual([3, 3, 3])
  const left = await partitions(world)
  expect(left).not.toContain(partitionName('deliveries', daysAgo(31)))
  expect(left).toContain(partitionName('deliveries', daysAgo(30)))
  expect(await purge(30)).toEqual({ partitions_dropped: 0, rows_deleted: 0 })
  expect(await purge(7)).toEqual({ partitions_dropped: 3 * 23, rows_deleted: 0 })
  expect(await counts()).toEqual([1, 1, 1])
})

test('stores rows without a partition of their own, and deletes them row by row', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = subscribed
  await world.publish(someEvent(tenantId, unitId, { occurred_at: '1999-12-31T23:59:59.000Z' }))
  await world.publish(someEvent(tenantId, unitId, { occurred_at: '2999-12-31T23:59:59.000Z' }))
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 2)
  const before = await counts()
  expect(await purge(30)).toEqual({ partitions_dropped: 0, rows_deleted: 3 })
  expect(await counts()).toEqual(before.map((count) => count - 1))
})

test('removes the messages of deleted dead deliveries from webhooks.dead-letters', async () => {
  await withPartition(40)
  endpoint.respondWith(() => ({ status: 500 }))
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = subscribed
  await world.publish(someEvent(tenantId, unitId, { occurred_at: daysAgo(31).toISOString() }))
  await settled(subscribed, 'dead')
  await until(async () => (await world.broker.deadLetters.depth('webhooks.dead-letters')) === 1)
  await purge(30)
  await world.reconcile(0)
  expect(await world.broker.deadLetters.depth('webhooks.dead-letters')).toBe(0)
  endpoint.respondWith(() => ({ status: 200 }))
})

test.each([[{ keep_days: 0 }], [{ keep_days: 1.5 }], [{}]])('rejects a purge of %j', async (body) => {
  const { status, body: problem } = await world.asOperator.post('/internal/deliveries/purge', body)
  expect([status, problem.code]).toEqual([400, 'invalid_request'])
})
