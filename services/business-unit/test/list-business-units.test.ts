import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { draftUnit, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('pages contain every unit of the tenant once, newest first, deleted ones included', async () => {
  const { tenant, unit, path } = await world.unit()
  await tenant.delete(path)
  const { body: second } = await tenant.post(units, draftUnit())
  await world.unit()
  const first = await tenant.get(`${units}?limit=1`)
  const next = await tenant.get(`${units}?limit=1&cursor=${first.body.next_cursor}`)
  expect([...first.body.data, ...next.body.data].map(({ id }) => id)).toEqual([second.id, unit.id])
  expect(next.body.next_cursor).toBeNull()
})

test('status selects active or deleted units', async () => {
  const { tenant, unit, path } = await world.unit()
  const { body: active } = await tenant.post(units, draftUnit())
  await tenant.delete(path)
  const idsWith = async (status: string) =>
    (await tenant.get(`${units}?status=${status}`)).body.data.map(({ id }: { id: string }) => id)
  expect([await idsWith('active'), await idsWith('deleted')]).toEqual([[active.id], [unit.id]])
})

test('contains no unit of another tenant, also without a condition in the query', async () => {
  const { tenantId } = await world.unit()
  expect((await world.asTenant(randomUUID()).get(units)).body).toEqual({ data: [], next_cursor: null })
  const count = (tenant: string) => world.db.inTenant(tenant, (tx) => tx.businessUnit.count())
  expect([await count(tenantId), await count(randomUUID())]).toEqual([1, 0])
})
