import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,200ms,1h', breaker: { probeAfterMs: 300 } })
  await world.dispatch()
})
afterAll(() => world.stop())

test('a receiver that rejects old events gets a newer one before each of these was attempted', async () => {
  const rejected = new Set<unknown>()
  const endpoint = await receiver()
  endpoint.respondWith(({ headers }) => ({ status: rejected.has(headers['webhook-id']) ? 500 : 200 }))
  const subscribed = await subscribe(world, endpoint.url)
  const event = (secondsAgo: number) =>
    someEvent(subscribed.tenantId, subscribed.unitId, {
      occurred_at: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
    })
  const [first, last] = [Array.from({ length: 10 }, () => event(60)), Array.from({ length: 50 }, () => event(30))]
  for (const { id } of [...first, ...last]) rejected.add(id)
  await Promise.all(first.map((one) => world.publish(one)))
  await until(async () => {
    const destination = await world.db.inTenant(subscribed.tenantId, (tx) => tx.destination.findFirst())
    return destination?.breaker === 'open'
  })
  await Promise.all(last.map((one) => world.publish(one)))
  await until(async () => (await subscribed.deliveries('?limit=200')).length === 60)
  const accepted = event(1)
  await world.publish(accepted)
  const ids = () => endpoint.received.map(({ headers }) => headers['webhook-id'])
  await until(async () => ids().includes(accepted.id))
  const before = new Set(ids().slice(0, ids().indexOf(accepted.id)))
  expect(before.size).toBeLessThan(first.length + last.length)
  await endpoint.close()
})
