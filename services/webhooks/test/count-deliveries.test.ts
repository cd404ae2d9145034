import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { countDeliveries } from '../src/verbs/count-deliveries.ts'
import { startDeliveryWorld } from './delivery-world.ts'

let world: Awaited<ReturnType<typeof startDeliveryWorld>>
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterAll(() => world.stop())

test('countDeliveries counts a delivery once, while ten processes count', async () => {
  const later = new Date(Date.now() + 3_600_000)
  await Promise.all(Array.from({ length: 10 }, () => countDeliveries(world.deps, null, later)))
  const rows = await world.rows('SELECT status, sum(count)::int AS count FROM hourly_counts GROUP BY 1 ORDER BY 1')
  expect(rows).toEqual([
    { status: 'dead', count: 1 },
    { status: 'delivered', count: 2 },
  ])
})
