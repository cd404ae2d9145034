import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { kill, letters } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

describe('dead letters', () => {
  test('lists dead deliveries, newest first, in pages, by every filter', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const captures = await kill(world, 3, subscribed)
    const [refund] = await kill(world, 1, subscribed, 'payment-proxy.transactions.refund')
    const { tenant, id, unitId } = subscribed
    const [first] = (await tenant.get(`${letters}?limit=1&event_type=payment-proxy.transactions.refund`)).body.data
    expect(first).toEqual({
      id: expect.any(String),
      business_unit_id: unitId,
      subscription_id: id,
      tenant_event_id: refund?.id,
      event_type: 'payment-proxy.transactions.refund',
      destination_url: endpoint.url,
      attempt_count: 1,
      error_kind: 'status',
      status_code: 500,
      last_error: 'status: responded with 500',
      occurred_at: refund?.occurred_at,
      dead_at: expect.any(String),
    })
    const page = await tenant.get(`${letters}?limit=3`)
    const rest = await tenant.get(`${letters}?limit=3&cursor=${page.body.next_cursor}`)
    expect(rest.body.next_cursor).toBeNull()
    const listed = [...page.body.data, ...rest.body.data].map(({ tenant_event_id }) => tenant_event_id)
    expect(new Set(listed)).toEqual(new Set([...captures, refund].map((event) => event?.id)))

    const count = async (query: string) => (await tenant.get(`${letters}?${query}`)).body.data.length
    const instant = encodeURIComponent(first.dead_at)
    expect(await count(`business_unit_id=${unitId}&subscription_id=${id}&error_kind=status&status_code=500`)).toBe(4)
    expect(await count(`business_unit_id=${randomUUID()}`)).toBe(0)
    expect(await count(`subscription_id=${randomUUID()}`)).toBe(0)
    expect(await count('error_kind=timeout')).toBe(0)
    expect(await count('status_code=503')).toBe(0)
    expect(await count(`dead_after=${instant}`)).toBe(1)
    expect(await count(`dead_before=${instant}`)).toBe(3)
    expect((await world.asTenant(randomUUID()).get(letters)).body).toEqual({ data: [], next_cursor: null })
  })

  test('the paths of dead letters and tasks are not taken for ids', async () => {
    const tenant = world.asTenant(randomUUID())
    expect((await tenant.get(letters)).body).toEqual({ data: [], next_cursor: null })
    expect((await tenant.get(`${letters}/tasks`)).body).toEqual({ data: [], next_cursor: null })
    const unit = await tenant.get('/v1/webhooks/dead-letters/deliveries')
    expect([unit.status, unit.body.errors[0].pointer]).toEqual([400, '/path/dead_letter_id'])
    const subscriptions = await tenant.get('/v1/webhooks/dead-letters/webhooks/reveal')
    expect([subscriptions.status, subscriptions.body.errors[0].pointer]).toEqual([400, '/path/business_unit_id'])
  })
})
