import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads the payment orchestrator with the fingerprint of its credentials', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  const { body } = await of.tenant.get(`${of.orchestrators}/${one.id}`)
  expect(body).toEqual(one)
  expect(body).not.toHaveProperty('gateway_authentication')
})

test('one of another unit or tenant is the same as an unknown one', async () => {
  const [of, other] = [await world.unit(), await world.unit()]
  const one = await created(of, httpProvider())
  expect(outcome(await other.tenant.get(`${other.orchestrators}/${one.id}`))).toEqual([
    404,
    'payment_orchestrator_not_found',
  ])
  expect(outcome(await other.tenant.get(`${of.orchestrators}/${one.id}`))).toEqual([404, 'business_unit_not_found'])
  expect(outcome(await of.tenant.get(`${of.orchestrators}/${randomUUID()}`))).toEqual([
    404,
    'payment_orchestrator_not_found',
  ])
})
