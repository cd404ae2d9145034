import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, sandbox, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('pages contain every payment orchestrator of the unit once, newest first', async () => {
  const of = await world.unit()
  const [first, second] = [await created(of, sandbox()), await created(of, sandbox())]
  const page = await of.tenant.get(`${of.orchestrators}?limit=1`)
  const next = await of.tenant.get(`${of.orchestrators}?limit=1&cursor=${page.body.next_cursor}`)
  expect([page.body.data, next.body]).toEqual([[second], { data: [first], next_cursor: null }])
})

test('status selects payment orchestrators', async () => {
  const of = await world.unit()
  const made = [await created(of, sandbox()), await created(of, sandbox({ status: 'inactive' }))]
  const deleted = await created(of, sandbox())
  await of.tenant.delete(`${of.orchestrators}/${deleted.id}`)
  const idsWith = async (status: string) =>
    (await of.tenant.get(`${of.orchestrators}?status=${status}`)).body.data.map(({ id }: { id: string }) => id)
  const ids = [await idsWith('active'), await idsWith('inactive'), await idsWith('deleted')]
  expect(ids.flat()).toEqual([...made, deleted].map(({ id }) => id))
})

test('the unit of another tenant is business_unit_not_found', async () => {
  const of = await world.unit()
  await created(of, sandbox())
  const reply = await world.asTenant(randomUUID()).get(of.orchestrators)
  expect(outcome(reply)).toEqual([404, 'business_unit_not_found'])
  const seen = await world.db.inTenant(randomUUID(), (tx) => tx.paymentOrchestrator.count())
  expect(seen).toBe(0)
})
