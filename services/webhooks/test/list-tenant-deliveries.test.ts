import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { cursorAt } from '@payments/contracts/grammar/page'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { type Subscribed, someEvent, startWorld, subscribe, type World } from './world.ts'

const path = '/v1/webhooks/deliveries'

/** Two deliveries to the first unit, the older one of an event of yesterday, and one that failed to a second unit. */
let world: World
let endpoint: Receiver
let first: Subscribed
let second: Subscribed
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,1h' })
  await world.dispatch()
  endpoint = await receiver()
  endpoint.respondWith((received) => ({ status: received.path === '/bad' ? 503 : 200 }))
  first = await subscribe(world, endpoint.url)
  second = await subscribe(world, `${endpoint.url}/bad`, { tenantId: first.tenantId })
  await settle(someEvent(first.tenantId, first.unitId), 'delivered', 1)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  await settle(someEvent(first.tenantId, first.unitId, { occurred_at: yesterday }), 'delivered', 2)
  await settle(someEvent(first.tenantId, second.unitId, { type: 'webhooks.subscriptions.disabled' }), 'retrying', 1)
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

const list = async (query = 'limit=50'): Promise<Delivery[]> => (await first.tenant.get(`${path}?${query}`)).body.data

async function settle(event: Parameters<World['publish']>[0], status: string, count: number) {
  await world.publish(event)
  await until(async () => (await list(`status=${status}`)).length === count)
}

test('lists the deliveries of every unit, page by page, in the order of their creation', async () => {
  const pages: Delivery[] = []
  let query = 'limit=1'
  do {
    const { body } = await first.tenant.get(`${path}?${query}`)
    pages.push(...body.data)
    query = `limit=1&cursor=${body.next_cursor}`
    if (body.next_cursor === null) break
  } while (pages.length < 5)
  expect(pages).toEqual(await list())
  expect(pages.map((delivery) => delivery.subscription_id)).toEqual([second.id, first.id, first.id])
  const created = pages.map((delivery) => delivery.created_at)
  expect(created).toEqual(created.toSorted().reverse())
})

test('names the destination of each delivery, also that of a deleted subscription', async () => {
  const destinations = (await list()).map((delivery) => delivery.destination_url)
  expect(destinations).toEqual([`${endpoint.url}/bad`, endpoint.url, endpoint.url])
  const { tenant, tenantId, unitId, path: subscription } = await subscribe(world, `${endpoint.url}/deleted`)
  await world.publish(someEvent(tenantId, unitId))
  await until(async () => (await tenant.get(`${path}?status=delivered`)).body.data.length === 1)
  expect((await tenant.delete(subscription)).status).toBe(204)
  const { body } = await tenant.get(path)
  expect(body.data).toMatchObject([{ destination_url: `${endpoint.url}/deleted` }])
})

test('pages through deliveries that were created in the same instant', async () => {
  const { tenant, tenantId, unitId } = await subscribe(world, endpoint.url, { enabled: false })
  for (let count = 0; count < 3; count += 1) await world.publish(someEvent(tenantId, unitId))
  await until(async () => (await tenant.get(path)).body.data.length === 3)
  await world.db.inTenant(tenantId, (tx) => tx.delivery.updateMany({ data: { createdAt: new Date() } }))
  const one = await tenant.get(`${path}?limit=2`)
  const two = await tenant.get(`${path}?limit=2&cursor=${one.body.next_cursor}`)
  const ids = [...one.body.data, ...two.body.data].map((delivery: Delivery) => delivery.id)
  expect([new Set(ids).size, two.body.next_cursor]).toEqual([3, null])
})

test('filters by unit, subscription, event, statuses, cause, type and time', async () => {
  const [newest, , oldest] = await list()
  const count = async (query: string) => (await list(query)).length
  expect(await count(`business_unit_id=${first.unitId}`)).toBe(2)
  expect(await count(`business_unit_id=${randomUUID()}`)).toBe(0)
  expect(await count(`subscription_id=${second.id}`)).toBe(1)
  expect(await count(`tenant_event_id=${newest?.tenant_event_id}`)).toBe(1)
  expect([await count('status=retrying,held'), await count('status=delivered,retrying')]).toEqual([1, 3])
  expect([await count('status_code=503'), await count('error_kind=status')]).toEqual([1, 1])
  expect(await count('event_type=webhooks.subscriptions.disabled')).toBe(1)
  expect(await count(`created_after=${oldest?.created_at}`)).toBe(3)
  expect(await count(`created_before=${oldest?.created_at}`)).toBe(0)
  expect(await count(`created_before=${newest?.created_at}`)).toBe(2)
})

const yearZero = `cursor=${cursorAt(['0000-01-01T00:00:00.000Z', '01a2227e-8b33-73db-94f7-d67cd8d0fe88'])}`

test.each([
  'status=done',
  'cursor=x',
  'cursor=WyJhIiwiYiJd',
  yearZero,
  'business_unit_id=1',
  'event_type=a.b',
  'limit=0',
])('rejects ?%s', async (query) => {
  const { status, body } = await first.tenant.get(`${path}?${query}`)
  expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
})

test('shows no deliveries of another tenant', async () => {
  const stranger = world.asTenant(randomUUID())
  const { body } = await stranger.get(`${path}?business_unit_id=${first.unitId}`)
  expect(body).toEqual({ data: [], next_cursor: null })
})
