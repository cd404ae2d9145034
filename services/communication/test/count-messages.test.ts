import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { countMessages } from '../src/verbs/count-messages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('countMessages counts a message in the hour of its id, once, while ten processes count', async () => {
  const tenant = world.tenant()
  const { created_at } = (await tenant.send()).body
  const deps = { ...world.deps, now: () => new Date(Date.now() + 3_600_000) }
  await Promise.all(Array.from({ length: 10 }, () => countMessages(deps, null)))
  const rows = await world.rows('SELECT hour, status, count FROM hourly_counts')
  const hour = new Date(Math.floor(Date.parse(created_at) / 3_600_000) * 3_600_000)
  expect(rows).toEqual([{ hour, status: 'queued', count: 1 }])
})
