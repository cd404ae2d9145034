import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { type Subscribed, someEvent, startWorld, subscribe, until, type World } from './world.ts'

let world: World
let endpoint: Receiver
let subscribed: Subscribed
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
  endpoint = await receiver()
  endpoint.respondWith((received) => ({ status: received.path === '/bad' ? 500 : 200, body: '\u0000ü' }))
  subscribed = await subscribe(world, `${endpoint.url}/good`)
  const { tenantId, unitId } = subscribed
  await subscribe(world, `${endpoint.url}/bad`, { tenantId, unitId, event_types: ['api-key.*'] })
  await world.publish(someEvent(tenantId, unitId))
  await world.publish(someEvent(tenantId, null, { type: 'api-key.keys.create' }))
  await until(async () => {
    const statuses = (await subscribed.deliveries()).map((delivery) => delivery.status)
    return statuses.length === 3 && statuses.every((status) => status === 'delivered' || status === 'dead')
  })
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

describe('listDeliveries', () => {
  test('pages newest first', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path: string = `/v1/webhooks/${subscribed.unitId}/deliveries?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { body } = await subscribed.tenant.get(path)
      seen.push(...body.data.map((delivery: { id: string }) => delivery.id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual([...new Set(seen)].sort().reverse())
    expect(seen).toHaveLength(3)
  })

  test('filters by status, event type, subscription and time', async () => {
    const count = async (query: string) => (await subscribed.deliveries(`?${query}`)).length
    expect(await count('status=dead')).toBe(1)
    expect(await count('event_type=api-key.keys.create')).toBe(2)
    expect(await count(`subscription_id=${subscribed.id}`)).toBe(2)
    expect(await count('created_after=2000-01-01T00:00:00Z')).toBe(3)
    expect(await count('created_before=2000-01-01T00:00:00%2B02:00')).toBe(0)
    expect(await count(`status=delivered&subscription_id=${subscribed.id}&event_type=api-key.keys.create`)).toBe(1)
  })

  test.each(['status=done', 'created_after=yesterday', 'subscription_id=1', 'page=2'])('refuses ?%s', async (query) => {
    const { status, body } = await subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/deliveries?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
  })

  test('shows another tenant no deliveries', async () => {
    const reply = await world.asTenant(randomUUID()).get(`/v1/webhooks/${subscribed.unitId}/deliveries`)
    expect(reply.body).toEqual({ data: [], next_cursor: null })
  })
})

test('row-level security hides rows of other tenants from a query without a tenant condition', async () => {
  const all = await world.db.inTenant(randomUUID(), async (tx) => [
    await tx.subscription.count(),
    await tx.delivery.count(),
    await tx.attempt.count(),
    await tx.dataKey.count(),
  ])
  expect(all).toEqual([0, 0, 0, 0])
  expect(await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.count())).toBe(3)
})

describe('readDelivery', () => {
  test('shows every attempt, regardless of the bytes of the response', async () => {
    const [row] = await subscribed.deliveries('?status=delivered')
    const delivery = await subscribed.delivery(row?.id ?? '')
    expect(delivery.attempts).toHaveLength(1)
    expect(delivery.attempts[0]).toMatchObject({ number: 1, status_code: 200, response_body: '\u0000ü' })
    expect(delivery.attempts[0]?.timings.first_byte_ms).toEqual(expect.any(Number))
  })

  test('returns the same 404 for a delivery of another tenant, of another business unit, and a missing one', async () => {
    const [row] = await subscribed.deliveries()
    const path = `/v1/webhooks/${subscribed.unitId}/deliveries`
    const replies = [
      await world.asTenant(randomUUID()).get(`${path}/${row?.id}`),
      await subscribed.tenant.get(`${path}/${randomUUID()}`),
      await subscribed.tenant.get(`/v1/webhooks/${randomUUID()}/deliveries/${row?.id}`),
    ]
    expect(new Set(replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))).size).toBe(1)
    expect(replies[0]?.body.code).toBe('delivery_not_found')
  })
})
