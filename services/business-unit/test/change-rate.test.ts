import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { serviceApp } from '@payments/service/app'
import { createChangeRate } from '../src/changes/change-rate.ts'
import { routes } from '../src/routes.ts'
import { created, httpProvider, httpSecret, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A new unit, and callers of an app in which a tenant has 20 changes and no more within a test. */
async function limited() {
  const of = await world.unit()
  const changes = createChangeRate({ perSecond: 1 / 3_600, burst: 20 })
  const { asTenant } = world.callersOf(serviceApp(businessUnitContract, routes(world.deps, changes), world.deps))
  const change = async (by: ReturnType<typeof asTenant>, path = of.path) =>
    Promise.all(Array.from({ length: 30 }, () => by.patch(path, { default_locale: 'de' })))
  return { ...of, change, asTenant, key: () => asTenant(of.tenantId) }
}

const countOf = (replies: readonly { status: number }[], status: number) =>
  replies.filter((reply) => reply.status === status).length

test('the keys of a tenant share a rate, which does not affect reads and other tenants', async () => {
  const of = await limited()
  const [first, second, third] = [of.key(), of.key(), of.key()]
  expect(countOf([...(await of.change(first)), ...(await of.change(second))], 200)).toBe(20)
  const reply = await third.patch(of.path, { name: 'x' })
  expect([reply.status, reply.body.code]).toEqual([429, 'rate_limited'])
  expect(reply.body.detail).toContain('The tenant')
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect((await third.get(of.path)).status).toBe(200)
  expect((await of.asTenant(randomUUID()).post(units, { name: 'x', timezone_name: 'UTC' })).status).toBe(201)
})

test('a key has half of the rate of its tenant, and another key still rotates credentials and deletes', async () => {
  const of = await limited()
  const one = await created(of, httpProvider())
  const replies = await of.change(of.asTenant(of.tenantId, ['businessunit:UpdateBusinessUnit']))
  expect([countOf(replies, 200), countOf(replies, 429)]).toEqual([10, 20])
  expect(replies.find(({ status }) => status === 429)?.body.detail).toContain('The API key')
  const path = `${of.orchestrators}/${one.id}`
  const administrator = of.key()
  const gateway_authentication = { key_id: 'key-2', secret: httpSecret }
  expect((await administrator.patch(path, { gateway_authentication })).status).toBe(200)
  expect((await administrator.delete(path)).status).toBe(204)
})

test('a change that ends with a problem does not count', async () => {
  const of = await limited()
  const key = of.key()
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 10; n += 1) {
      expect((await key.patch(`${units}/${randomUUID()}`, { name: 'x' })).status).toBe(404)
    }
  }
  expect(countOf(await of.change(key), 200)).toBe(10)
})
