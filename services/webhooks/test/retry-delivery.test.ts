import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { DeliveryStatus } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { expectedColumns } from './delivery-columns.ts'
import { type Subscribed, settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,50ms' })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

async function deliverOne(status: DeliveryStatus) {
  const subscribed = await subscribe(world, endpoint.url)
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  return { subscribed, event, delivery: await settled(subscribed, status) }
}

const retry = ({ tenant, unitId }: Subscribed, id: string, headers = {}) =>
  tenant.post(`/v1/webhooks/${unitId}/deliveries/${id}/retry`, undefined, headers)

const setStatus = (id: string, status: DeliveryStatus) =>
  world.db.acrossTenants((tx) => tx.delivery.update({ where: { id }, data: expectedColumns(status) }))

test('sends a delivered delivery again with the same tenant_event_id, and continues the attempt numbers', async () => {
  const { subscribed, event, delivery } = await deliverOne('delivered')
  const reply = await retry(subscribed, delivery.id)
  expect([reply.status, reply.body]).toEqual([
    202,
    expect.objectContaining({ id: delivery.id, status: 'pending', attempt_count: 1, tenant_event_id: event.id }),
  ])
  await until(async () => (await subscribed.delivery(delivery.id)).attempts.length === 2)
  const again = await settled(subscribed, 'delivered')
  expect(again.attempts.map(({ number }) => number)).toEqual([1, 2])
  expect(endpoint.received.map((one) => one.headers['webhook-id'])).toEqual([event.id, event.id])
})

test('restarts the schedule of a dead delivery, and removes its message from the queue', async () => {
  endpoint.respondWith(() => ({ status: 500 }))
  const { subscribed, delivery } = await deliverOne('dead')
  const depth = async () => world.broker.deadLetters.depth('webhooks.dead-letters')
  await until(async () => (await depth()) === 1)
  endpoint.respondWith(() => (endpoint.received.length < 4 ? { status: 500 } : { status: 200 }))
  expect((await retry(subscribed, delivery.id)).status).toBe(202)
  const delivered = await settled(subscribed, 'delivered')
  expect(delivered.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  await until(async () => (await depth()) === 0, 20_000)
})

test('restarts a discarded, a held and a waiting delivery', async () => {
  for (const status of ['discarded', 'held', 'retrying'] as const) {
    const { subscribed, delivery } = await deliverOne('delivered')
    await setStatus(delivery.id, status)
    expect((await retry(subscribed, delivery.id)).status).toBe(202)
    await until(async () => (await subscribed.delivery(delivery.id)).attempts.length === 2)
  }
})

test.each(['pending', 'delivering'] as const)('rejects a %s delivery, which is in progress', async (status) => {
  const { subscribed, delivery } = await deliverOne('delivered')
  await setStatus(delivery.id, status)
  const reply = await retry(subscribed, delivery.id)
  expect([reply.status, reply.body.code]).toEqual([409, 'delivery_in_progress'])
  expect((await subscribed.delivery(delivery.id)).status).toBe(status)
})

test('ten requests at once send the delivery once', async () => {
  const { subscribed, delivery } = await deliverOne('delivered')
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  endpoint.respondWith(async () => {
    await held
    return { status: 200 }
  })
  const replies = await Promise.all(Array.from({ length: 10 }, () => retry(subscribed, delivery.id)))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([202, ...Array<number>(9).fill(409)])
  release()
  await until(async () => (await subscribed.delivery(delivery.id)).status === 'delivered')
  expect((await subscribed.delivery(delivery.id)).attempts).toHaveLength(2)
})

test('returns the same response for the same Idempotency-Key, and sends once', async () => {
  const { subscribed, delivery } = await deliverOne('delivered')
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await retry(subscribed, delivery.id, headers)
  const second = await retry(subscribed, delivery.id, headers)
  expect([second.status, second.body]).toEqual([202, first.body])
  expect(second.headers['idempotent-replayed']).toBe('true')
})

test('rejects a delivery of a disabled or deleted subscription', async () => {
  const { subscribed, delivery } = await deliverOne('delivered')
  await world.db.acrossTenants((tx) =>
    tx.subscription.update({ where: { id: subscribed.id }, data: { enabled: false } }),
  )
  const disabled = await retry(subscribed, delivery.id)
  expect([disabled.status, disabled.body.code]).toEqual([409, 'subscription_disabled'])
  await subscribed.tenant.delete(subscribed.path)
  const deleted = await retry(subscribed, delivery.id)
  expect([deleted.status, deleted.body.code]).toEqual([409, 'subscription_deleted'])
  expect((await subscribed.delivery(delivery.id)).status).toBe('delivered')
})

test('returns 404 for a delivery of another business unit or tenant', async () => {
  const { subscribed, delivery } = await deliverOne('delivered')
  const strangers = [
    retry({ ...subscribed, ...(await tenantWithUnit(world, subscribed.tenantId)) }, delivery.id),
    retry({ ...subscribed, ...(await tenantWithUnit(world)) }, delivery.id),
    retry(subscribed, randomUUID()),
  ]
  for (const reply of await Promise.all(strangers)) {
    expect([reply.status, reply.body.code]).toEqual([404, 'delivery_not_found'])
  }
  expect((await subscribed.delivery(delivery.id)).attempts).toHaveLength(1)
})
