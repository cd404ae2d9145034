import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, sandbox, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('ten deletions at once: all are 204, one marks the unit and emits the event', async () => {
  const { tenant, tenantId, unit, path } = await world.unit()
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.delete(path)))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(204))
  const { body: deleted } = await tenant.get(path)
  expect(deleted).toEqual({ ...unit, status: 'deleted', version: 2, updated_at: deleted.updated_at })
  const [, event, ...others] = await world.events(tenantId)
  expect(others).toEqual([])
  expect(event).toMatchObject({ type: 'business-unit.business-units.delete', payload: { business_unit: deleted } })
})

test('a deleted unit keeps its payment orchestrators, and takes no change of them', async () => {
  const of = await world.unit()
  const one = await created(of, sandbox())
  await of.tenant.delete(of.path)
  const path = `${of.orchestrators}/${one.id}`
  expect((await of.tenant.get(path)).body).toEqual(one)
  expect(outcome(await of.tenant.post(of.orchestrators, sandbox()))).toEqual([409, 'business_unit_deleted'])
  expect(outcome(await of.tenant.patch(path, { name: 'x' }))).toEqual([409, 'business_unit_deleted'])
  expect(await world.events(of.tenantId)).toHaveLength(3)
})

test('the unit of another tenant is business_unit_not_found and stays', async () => {
  const { tenant, unit, path } = await world.unit()
  expect(outcome(await world.asTenant(randomUUID()).delete(path))).toEqual([404, 'business_unit_not_found'])
  expect((await tenant.get(path)).body).toEqual(unit)
})
