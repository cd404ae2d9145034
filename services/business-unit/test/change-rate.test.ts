import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { serviceApp } from '@payments/service/app'
import { createChangeRates } from '../src/changes/change-rate.ts'
import { routes } from '../src/routes.ts'
import { created, draftUnit, httpProvider, httpSecret, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A new unit, and callers of an app in which a tenant has 20 changes and 4 creations and no more within a test. */
async function limited() {
  const of = await world.unit()
  const perSecond = 1 / 3_600
  const rates = createChangeRates({ perSecond, burst: 20 }, { perSecond, burst: 4 })
  const { asTenant } = world.createCallers(serviceApp(businessUnitContract, routes(world.deps, rates), world.deps))
  const change = async (by: ReturnType<typeof asTenant>, path = of.path) =>
    Promise.all(Array.from({ length: 30 }, () => by.patch(path, { default_locale: 'de' })))
  return { ...of, change, asTenant, key: () => asTenant(of.tenantId) }
}

const countReplies = (replies: readonly { status: number }[], status: number) =>
  replies.filter((reply) => reply.status === status).length

test('the keys of a tenant share a rate, which does not affect reads and other tenants', async () => {
  const of = await limited()
  const [first, second, third] = [of.key(), of.key(), of.key()]
  expect(countReplies([...(await of.change(first)), ...(await of.change(second))], 200)).toBe(20)
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
  expect([countReplies(replies, 200), countReplies(replies, 429)]).toEqual([10, 20])
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
  expect(countReplies(await of.change(key), 200)).toBe(10)
})

test('units that are deleted again count: a key has half of the creations of its tenant, and then only other changes', async () => {
  const of = await limited()
  const [first, second] = [of.key(), of.key()]
  const createAndDelete = async (key: ReturnType<typeof of.key>) => {
    const { status, body, headers } = await key.post(units, draftUnit())
    if (status !== 201) return [status, body.detail, Number(headers['retry-after']) > 3_000]
    return [(await key.delete(`${units}/${body.id}`)).status]
  }
  expect(await createAndDelete(first)).toEqual([204])
  expect(await createAndDelete(first)).toEqual([204])
  expect(await createAndDelete(first)).toEqual([429, 'The API key creates business units too often', true])
  expect(await createAndDelete(second)).toEqual([204])
  expect(await createAndDelete(second)).toEqual([204])
  expect(await createAndDelete(of.key())).toEqual([429, 'The tenant creates business units too often', true])
  expect((await first.patch(of.path, { default_locale: 'de' })).status).toBe(200)
})
