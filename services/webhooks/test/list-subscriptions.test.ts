import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'

test('returns pages of one business unit, newest first', async () => {
  const { tenantId, unitId, unitPath, tenant, id } = await subscribe(world, url)
  const second = await subscribe(world, url, { tenantId, unitId })
  await subscribe(world, url, { tenantId })
  const first = await tenant.get(`${unitPath}?limit=1`)
  const rest = await tenant.get(`${unitPath}?limit=1&cursor=${first.body.next_cursor}`)
  expect([first.body.data[0].id, rest.body.data[0].id, rest.body.next_cursor]).toEqual([second.id, id, null])
  expect(first.body.data[0].secret).toMatch(/^whsec_…/)
})

test('shows no deleted subscription, and none of another unit or tenant', async () => {
  const { tenantId, unitId, unitPath, tenant, path } = await subscribe(world, url)
  const { id } = await subscribe(world, url, { tenantId, unitId })
  await tenant.delete(path)
  const listed = await tenant.get(unitPath)
  expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id])
  for (const other of [await tenantWithUnit(world, tenantId), await tenantWithUnit(world)]) {
    expect((await other.tenant.get(other.unitPath)).body).toEqual({ data: [], next_cursor: null })
  }
})

test.each(['limit=0', 'limit=x', 'cursor=x', 'page=2'])('rejects ?%s', async (query) => {
  const { tenant, unitPath } = await tenantWithUnit(world)
  const { status, body } = await tenant.get(`${unitPath}?${query}`)
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', `/query/${query.split('=')[0]}`])
})
