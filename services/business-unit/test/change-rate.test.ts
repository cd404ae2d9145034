import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('a tenant changes its units 300 times at once, and those of another tenant are not affected', async () => {
  const [busy, other] = [await world.unit(), await world.unit()]
  const change = (of: typeof busy) => of.tenant.patch(`/v1/business-unit/business-units/${of.unit.id}`, { name: 'x' })
  const replies = await Promise.all(Array.from({ length: 330 }, () => change(busy)))
  const limited = replies.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThan(0)
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(299)
  expect(limited[0]?.body.code).toBe('rate_limited')
  expect(limited[0]?.headers['retry-after']).toBe('1')
  expect((await change(other)).status).toBe(200)
  expect((await busy.tenant.get(`/v1/business-unit/business-units/${busy.unit.id}`)).status).toBe(200)
})
