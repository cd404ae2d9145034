import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { type Subscribed, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

async function hold(subscribed: Subscribed, count: number) {
  const { tenantId, unitId } = subscribed
  await Promise.all(Array.from({ length: count }, () => world.publish(someEvent(tenantId, unitId))))
  await until(async () => (await subscribed.deliveries('?status=held')).length === count)
}

async function taskDone({ tenant }: Subscribed, id: string) {
  const task = () => tenant.get(`/v1/webhooks/dead-letters/tasks/${id}`)
  await until(async () => (await task()).body.status === 'done')
  return (await task()).body
}

test('discards the held deliveries only: deliveries held later are sent when the subscription is enabled', async () => {
  const subscribed = await subscribe(world, endpoint.url, { enabled: false })
  await hold(subscribed, 3)
  const reply = await subscribed.tenant.post(`${subscribed.path}/discard-held`, { reason: 'obsolete' })
  expect([reply.status, reply.body]).toEqual([202, { task_id: expect.any(String) }])
  expect(await taskDone(subscribed, reply.body.task_id)).toMatchObject({ kind: 'discard_held', total: 3, done: 3 })
  expect(await subscribed.deliveries('?status=discarded')).toHaveLength(3)
  await hold(subscribed, 1)
  await subscribed.tenant.put(subscribed.path, { destination_url: endpoint.url, enabled: true })
  await endpoint.waitFor(() => true)
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 1)
  expect(endpoint.received).toHaveLength(1)
})

test('discards deliveries that waited for their destination when the subscription was disabled, too', async () => {
  const subscribed = await subscribe(world, endpoint.url, { enabled: false })
  await hold(subscribed, 3)
  const [{ id } = { id: '' }] = await subscribed.deliveries()
  await world.db.acrossTenants((tx) => tx.delivery.update({ where: { id }, data: { status: 'pending' } }))
  expect((await subscribed.tenant.get(`${subscribed.path}/health`)).body.held).toBe(3)
  const [{ tenant_event_id } = { tenant_event_id: '' }] = await subscribed.deliveries('?status=pending')
  const { body } = await subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/events/${tenant_event_id}`)
  expect(body.subscriptions).toMatchObject([{ outcome: 'held', reason: expect.stringContaining('disabled since') }])
  const reply = await subscribed.tenant.post(`${subscribed.path}/discard-held`, { reason: 'obsolete' })
  expect(await taskDone(subscribed, reply.body.task_id)).toMatchObject({ total: 3, done: 3 })
  expect(await subscribed.deliveries('?status=discarded')).toHaveLength(3)
})

test('discards no deliveries of another subscription or tenant', async () => {
  const [mine, theirs] = [
    await subscribe(world, endpoint.url, { enabled: false }),
    await subscribe(world, endpoint.url, { enabled: false }),
  ]
  await hold(theirs, 1)
  const foreign = await mine.tenant.post(`${mine.unitPath}/${theirs.id}/discard-held`, { reason: 'x' })
  const missing = await mine.tenant.post(`${mine.path.replace(mine.id, randomUUID())}/discard-held`, { reason: 'x' })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'subscription_not_found'])
  expect([missing.status, missing.body.code]).toEqual([404, 'subscription_not_found'])
  const own = await mine.tenant.post(`${mine.path}/discard-held`, { reason: 'x' })
  expect(await taskDone(mine, own.body.task_id)).toMatchObject({ total: 0, done: 0 })
  expect(await theirs.deliveries('?status=held')).toHaveLength(1)
})
