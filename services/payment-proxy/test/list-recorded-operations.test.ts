import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readPages, windowAround } from './operator-pages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const recorded = (query: Record<string, string>) =>
  readPages(world, '/internal/recorded-operations', { limit: '2', ...query })

test('lists the operations of a business unit that went to a provider', async () => {
  const { tenant, id } = await world.captured()
  await tenant.refund(id, { amount: 400 })
  await tenant.authorize('declined')
  await world.captured()
  await tenant.void((await tenant.create()).body.id)
  const found = await recorded(windowAround(tenant.businessUnitId))
  expect(found.map(({ state, amount }) => [state, amount])).toEqual([
    ['succeeded', 10_000],
    ['succeeded', 10_000],
    ['succeeded', 400],
    ['declined', 10_000],
  ])
})

test('lists only operations of the period', async () => {
  const { tenant } = await world.authorized()
  const { to, ...window } = windowAround(tenant.businessUnitId)
  expect(await recorded({ ...window, to: window.from })).toEqual([])
  expect(await recorded({ ...window, from: to, to: new Date(Date.now() + 7_200_000).toISOString() })).toEqual([])
})
