import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, sandbox, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('ten deletions at once: all are 204, one marks the payment orchestrator and emits the event', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  const path = `${of.orchestrators}/${one.id}`
  const replies = await Promise.all(Array.from({ length: 10 }, () => of.tenant.delete(path)))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(204))
  const { body: deleted } = await of.tenant.get(path)
  const expected = { ...one, status: 'deleted', is_default: false, version: 2, updated_at: deleted.updated_at }
  expect(deleted).toEqual(expected)
  const [, , event, ...others] = await world.events(of.tenantId)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'business.unit.payment.orchestrator.delete',
    business_unit_id: of.unit.id,
    payload: { payment_orchestrator: deleted },
  })
})

test('without its default, a unit has none until another one becomes it', async () => {
  const of = await world.unit()
  const [first, second] = [await created(of, sandbox()), await created(of, sandbox())]
  await of.tenant.delete(`${of.orchestrators}/${first.id}`)
  const path = `${of.orchestrators}/${second.id}`
  expect((await of.tenant.get(path)).body).toEqual(second)
  expect((await created(of, sandbox())).is_default).toBe(false)
  expect((await of.tenant.patch(path, { is_default: true })).body.is_default).toBe(true)
})

test('after the deletion of a unit, its payment orchestrators can be deleted too', async () => {
  const of = await world.unit()
  const one = await created(of, sandbox())
  await of.tenant.delete(of.path)
  expect((await of.tenant.delete(`${of.orchestrators}/${one.id}`)).status).toBe(204)
})

test('one of another tenant or unit, or an unknown one, is not found and stays', async () => {
  const [of, other] = [await world.unit(), await world.unit()]
  const one = await created(of, sandbox())
  expect(outcome(await other.tenant.delete(`${of.orchestrators}/${one.id}`))).toEqual([404, 'business_unit_not_found'])
  for (const id of [one.id, randomUUID()]) {
    const reply = await other.tenant.delete(`${other.orchestrators}/${id}`)
    expect(outcome(reply)).toEqual([404, 'payment_orchestrator_not_found'])
  }
  expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(one)
})
