import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startDeliveryWorld } from './delivery-world.ts'

let world: Awaited<ReturnType<typeof startDeliveryWorld>>
let subscribed: (typeof world)['subscribed']
beforeAll(async () => {
  world = await startDeliveryWorld()
  subscribed = world.subscribed
})
afterAll(() => world.stop())

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
