import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads the unit, also after its deletion', async () => {
  const { tenant, unit, path } = await world.unit()
  expect((await tenant.get(path)).body).toEqual(unit)
  await tenant.delete(path)
  expect((await tenant.get(path)).body).toMatchObject({ id: unit.id, status: 'deleted', version: 2 })
})

test('the unit of another tenant and an unknown one are the same business_unit_not_found', async () => {
  const { path } = await world.unit()
  const stranger = world.asTenant(randomUUID())
  const [foreign, unknown] = [await stranger.get(path), await stranger.get(`${units}/${randomUUID()}`)]
  expect(outcome(foreign)).toEqual([404, 'business_unit_not_found'])
  expect({ ...foreign.body, trace_id: '' }).toEqual({ ...unknown.body, trace_id: '' })
})
