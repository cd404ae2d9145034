import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { DeliveryStatus } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { startTask } from './dead-letter-world.ts'
import { expectedColumns } from './delivery-columns.ts'
import { type Subscribed, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,1h', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const hour = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

const recover = ({ tenant, path }: Subscribed, body: object, headers = {}) =>
  tenant.post(`${path}/recover`, body, headers)

async function recovered(subscribed: Subscribed, body: object) {
  const reply = await recover(subscribed, body)
  expect([reply.status, reply.body]).toEqual([202, { task_id: expect.any(String) }])
  const task = () => subscribed.tenant.get(`/v1/webhooks/dead-letters/tasks/${reply.body.task_id}`)
  await until(async () => (await task()).body.status === 'done')
  return (await task()).body
}

/** One delivered event per status, then changed to the status. */
async function deliveries(subscribed: Subscribed, statuses: readonly DeliveryStatus[]): Promise<Map<string, string>> {
  const events = statuses.map((_, index) =>
    someEvent(subscribed.tenantId, subscribed.unitId, { occurred_at: ago(2 * hour - index * 1_000) }),
  )
  await Promise.all(events.map((event) => world.publish(event)))
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === statuses.length)
  const created = await subscribed.deliveries()
  const findId = (event: EventMessage) => created.find((delivery) => delivery.tenant_event_id === event.id)?.id ?? ''
  await world.db.acrossTenants(async (tx) => {
    for (const [index, status] of statuses.entries()) {
      const id = findId(events[index] as EventMessage)
      await tx.delivery.update({ where: { id }, data: expectedColumns(status) })
    }
  })
  return new Map(statuses.map((status, index) => [status, findId(events[index] as EventMessage)]))
}

test('restarts dead, retrying and held deliveries, and leaves delivered and discarded ones unchanged', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const byStatus = await deliveries(subscribed, ['dead', 'retrying', 'held', 'delivered', 'discarded'])
  expect(await recovered(subscribed, { since: ago(3 * hour), until: ago(hour) })).toMatchObject({
    kind: 'recover',
    total: 3,
    done: 3,
  })
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 4)
  const attempts = async (status: DeliveryStatus) =>
    (await subscribed.delivery(byStatus.get(status) ?? '')).attempts.length
  expect(await Promise.all((['dead', 'retrying', 'held', 'delivered', 'discarded'] as const).map(attempts))).toEqual([
    2, 2, 2, 1, 1,
  ])
})

test('a dry run counts what would be sent, and changes nothing', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead', 'held', 'delivered'])
  const range = { since: ago(3 * hour), until: ago(hour), dry_run: true }
  const reply = await recover(subscribed, range)
  expect([reply.status, reply.body.count]).toEqual([200, 2])
  const types = await subscribe(world, endpoint.url, { tenantId: subscribed.tenantId, unitId: subscribed.unitId })
  expect((await recover(types, range)).body.count).toBe(0)
  expect((await recover(types, { ...range, include_unmatched: true })).body.count).toBe(3)
  expect((await subscribed.tenant.get('/v1/webhooks/dead-letters/tasks')).body.data).toEqual([])
  expect(await subscribed.deliveries('?status=dead,held')).toHaveLength(2)
})

test('keeps a rate, and names the subscription and the rate in its task', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead', 'dead', 'dead'])
  const task = await recovered(subscribed, { since: ago(3 * hour), until: ago(hour), rate_per_second: 1 })
  expect(task).toMatchObject({ total: 3, done: 3, rate_per_second: 1, subscription_id: subscribed.id, reason: null })
  expect(Date.parse(task.finished_at) - Date.parse(task.created_at)).toBeGreaterThanOrEqual(2_000)
  expect(task.created_by).toMatch(/^api_key:/)
})

test('restarts only deliveries of the range', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead', 'dead'])
  expect(await recovered(subscribed, { since: ago(hour), until: ago(0) })).toMatchObject({ total: 0, done: 0 })
  expect(await subscribed.deliveries('?status=dead')).toHaveLength(2)
})

test('a range includes the event of its start, and not that of its end', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead'])
  const [delivery] = await subscribed.deliveries('?status=dead')
  const { body: event } = await subscribed.tenant.get(
    `/v1/webhooks/${subscribed.unitId}/events/${delivery?.tenant_event_id}`,
  )
  const at = Date.parse(event.occurred_at)
  const count = async (since: number, until: number) => {
    const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString(), dry_run: true }
    return (await recover(subscribed, { ...range, include_unmatched: true })).body.count
  }
  expect([await count(at - hour, at), await count(at, at + 1), await count(at - 1, at + 1)]).toEqual([0, 1, 1])
})

test('restarts a delivery that fails again only once: a recovery ends', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead', 'dead'])
  endpoint.respondWith(() => ({ status: 500 }))
  const before = endpoint.received.length
  expect(await recovered(subscribed, { since: ago(3 * hour), until: ago(hour) })).toMatchObject({ total: 2, done: 2 })
  await until(async () => (await subscribed.deliveries('?status=retrying')).length === 2)
  expect(endpoint.received).toHaveLength(before + 2)
})

/** The endpoint holds its responses until `release`. Then each takes 50 ms. */
function heldResponses(): () => void {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  endpoint.respondWith(async () => {
    await isReleased
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { status: 200 }
  })
  return () => release()
}

/** A new event is stored while nothing is sent, so that the task cannot end before it. */
async function newEvent({ tenantId, unitId }: { readonly tenantId: string; readonly unitId: string }) {
  await until(() => endpoint.received.length > 0)
  const event = someEvent(tenantId, unitId)
  await world.publish(event)
  await until(() =>
    world.db.inTenant(tenantId, async (tx) => (await tx.delivery.count({ where: { tenantEventId: event.id } })) > 0),
  )
  return event
}

test('a new event does not wait until a recovery has sent everything', async () => {
  const early = await tenantWithUnit(world)
  const { tenantId, unitId } = early
  const count = 800
  const events = Array.from({ length: count }, () => someEvent(tenantId, unitId, { occurred_at: ago(2 * hour) }))
  for (const event of events) await world.publish(event)
  const stored = () =>
    world.db.inTenant(tenantId, (tx) =>
      tx.event.count({ where: { tenantId, occurredAt: { lt: new Date(ago(hour)) } } }),
    )
  await until(async () => (await stored()) === count)
  const release = heldResponses()
  const subscribed = await subscribe(world, endpoint.url, { tenantId, unitId })
  const range = { since: ago(3 * hour), until: ago(hour), include_unmatched: true }
  expect((await recover(subscribed, range)).status).toBe(202)
  const later = await newEvent(early)
  // Of what needs no delivery, a recovery does not wait for the destination.
  const nothing = { since: ago(5 * hour), until: ago(4 * hour), include_unmatched: true }
  expect(await recovered(subscribed, nothing)).toMatchObject({ total: 0, done: 0 })
  release()
  await endpoint.waitFor((one) => one.headers['webhook-id'] === later.id)
  expect(endpoint.received.length).toBeLessThan(count)
  await until(() => endpoint.received.length > count)
})

test('nor until a redrive of dead letters of several subscriptions has sent them', async () => {
  endpoint.respondWith(() => ({ status: 400 }))
  const one = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = one
  const other = await subscribe(world, `${endpoint.url}/other`, { tenantId, unitId })
  const events = Array.from({ length: 400 }, () => someEvent(tenantId, unitId, { occurred_at: ago(2 * hour) }))
  for (const event of events) await world.publish(event)
  const dead = () => world.db.inTenant(tenantId, (tx) => tx.delivery.count({ where: { tenantId, status: 'retrying' } }))
  await until(async () => (await dead()) === 800)
  await world.db.inTenant(tenantId, (tx) =>
    tx.delivery.updateMany({ where: { tenantId }, data: expectedColumns('dead') }),
  )
  const before = endpoint.received.length
  const release = heldResponses()
  expect((await other.tenant.post('/v1/webhooks/dead-letters/redrive', { filter: {} })).status).toBe(202)
  await until(() => endpoint.received.length > before)
  const later = await newEvent(one)
  release()
  await endpoint.waitFor((received) => received.headers['webhook-id'] === later.id)
  expect(endpoint.received.length - before).toBeLessThan(800)
  await until(() => endpoint.received.length - before > 801)
})

test('with include_unmatched, sends earlier events of the current event_types', async () => {
  const early = await subscribe(world, endpoint.url)
  const captures = [1, 2, 3].map(() => someEvent(early.tenantId, early.unitId, { occurred_at: ago(2 * hour) }))
  const refund = someEvent(early.tenantId, early.unitId, {
    type: 'payment-proxy.transactions.refund',
    occurred_at: ago(2 * hour),
  })
  const elsewhere = someEvent(early.tenantId, randomUUID(), { occurred_at: ago(2 * hour) })
  const ofTenant = someEvent(early.tenantId, null, { type: 'api-key.keys.create', occurred_at: ago(2 * hour) })
  for (const event of [...captures, refund, elsewhere, ofTenant]) await world.publish(event)
  await until(async () => (await early.deliveries('?status=delivered')).length === 5)

  const types = ['payment-proxy.transactions.capture', 'api-key.*']
  const { tenantId, unitId } = early
  const late = await subscribe(world, `${endpoint.url}/late`, { tenantId, unitId, event_types: types })
  const range = { since: ago(3 * hour), until: ago(hour) }
  expect(await recovered(late, range)).toMatchObject({ total: 0, done: 0 })
  expect(await recovered(late, { ...range, include_unmatched: true })).toMatchObject({ total: 4, done: 4 })
  await until(async () => (await late.deliveries(`?subscription_id=${late.id}&status=delivered`)).length === 4)
  const got = endpoint.received.filter(({ path }) => path === '/late').map(({ body }) => JSON.parse(String(body)))
  expect(new Set(got.map((one) => one.tenant_event_id))).toEqual(new Set([...captures, ofTenant].map(({ id }) => id)))
  expect(new Set(got.map((one) => one.metadata.business_unit_id))).toEqual(new Set([late.unitId]))
  expect(got[0].metadata.payload).toEqual(captures[0]?.payload)
  expect(await recovered(late, { ...range, include_unmatched: true })).toMatchObject({ total: 0, done: 0 })
})

test('a test of another subscription is no missed event, and its explanation says whose it is', async () => {
  const named = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = named
  const other = await subscribe(world, endpoint.url, { tenantId, unitId })
  const sent = await named.tenant.post(`${named.path}/test`)
  expect(sent.status).toBe(202)
  await until(async () => (await named.deliveries('?status=delivered')).length === 1)
  const range = { since: ago(hour), until: new Date(Date.now() + hour).toISOString() }
  const counted = await recover(other, { ...range, include_unmatched: true, dry_run: true })
  expect([counted.status, counted.body.count]).toEqual([200, 0])
  const { body } = await named.tenant.get(`/v1/webhooks/${unitId}/events/${sent.body.tenant_event_id}`)
  expect(body.subscriptions).toContainEqual(
    expect.objectContaining({
      subscription_id: other.id,
      outcome: 'not_matched',
      reason: 'Only the subscription that a test names receives it',
    }),
  )
})

test('rejects a disabled or deleted subscription, and one of another tenant', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const range = { since: ago(hour), until: ago(0) }
  const { unitPath, ...others } = await tenantWithUnit(world)
  const stranger = { ...subscribed, ...others, path: `${unitPath}/${subscribed.id}` }
  const foreign = await recover(stranger, range)
  expect([foreign.status, foreign.body.code]).toEqual([404, 'subscription_not_found'])
  await world.db.acrossTenants((tx) =>
    tx.subscription.update({ where: { id: subscribed.id }, data: { enabled: false } }),
  )
  const disabled = await recover(subscribed, range)
  expect([disabled.status, disabled.body.code]).toEqual([409, 'subscription_disabled'])
  await subscribed.tenant.delete(subscribed.path)
  const deleted = await recover(subscribed, range)
  expect([deleted.status, deleted.body.code]).toEqual([404, 'subscription_not_found'])
})

test.each([
  [{}, '/since'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, '/until'],
  [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', rate_per_second: 0 }, '/rate_per_second'],
  [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', rate_per_second: 1_001 }, '/rate_per_second'],
  [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', dry_run: 1 }, '/dry_run'],
  [{ since: 'yesterday', until: '2026-01-01T00:00:00Z' }, '/since'],
])('rejects %j', async (body, pointer) => {
  const subscribed = await subscribe(world, endpoint.url)
  const reply = await recover(subscribed, body)
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
})

test('who starts a recovery reads and cancels it, and no other task', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deliveries(subscribed, ['dead', 'dead'])
  const who = world.asTenant(subscribed.tenantId, ['webhook:RetryDelivery'])
  const range = { since: ago(3 * hour), until: ago(hour) }
  const { task_id: id } = (await who.post(`${subscribed.path}/recover`, { ...range, rate_per_second: 1 })).body
  const recoveries = '/v1/webhooks/recoveries'
  expect((await who.get(`${recoveries}/${id}`)).body).toMatchObject({ id, kind: 'recover', total: 2 })
  const stranger = world.asTenant(randomUUID(), ['webhook:RetryDelivery'])
  const redrive = await startTask(subscribed, 'redrive', { filter: {} })
  const replies = [
    await stranger.get(`${recoveries}/${id}`),
    await stranger.post(`${recoveries}/${id}/cancel`),
    await who.get(`${recoveries}/${redrive}`),
    await who.post(`${recoveries}/${redrive}/cancel`),
  ]
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(replies.map(() => [404, 'task_not_found']))
  expect((await who.post(`${recoveries}/${id}/cancel`)).body).toMatchObject({ id, status: 'canceled' })
})
