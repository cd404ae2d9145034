import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'

test('reveals the secrets of a page', async () => {
  const one = await subscribe(world, url)
  const two = await subscribe(world, url, { tenantId: one.tenantId, unitId: one.unitId })
  const list = `/v1/webhooks/${one.unitId}/webhooks/reveal`
  const reply = await world.asTenant(one.tenantId).get(list)
  const secrets = reply.body.data.map((subscription: { secret: string }) => subscription.secret)
  expect(secrets).toEqual([two.secret, one.secret])
  const stranger = await tenantWithUnit(world)
  expect((await stranger.tenant.get(`${stranger.unitPath}/reveal`)).body.data).toEqual([])
})

test('responds with Cache-Control no-store, in pages', async () => {
  const { tenantId, unitId, tenant, secret } = await subscribe(world, url)
  const second = await subscribe(world, url, { tenantId, unitId })
  const list = `/v1/webhooks/${unitId}/webhooks/reveal`
  const page = await tenant.get(`${list}?limit=1`)
  const rest = await world.asTenant(tenantId).get(`${list}?limit=1&cursor=${page.body.next_cursor}`)
  expect([page.headers['cache-control'], rest.headers['cache-control']]).toEqual(['no-store', 'no-store'])
  expect([page.body.data[0].secret, rest.body.data[0].secret, rest.body.next_cursor]).toEqual([
    second.secret,
    secret,
    null,
  ])
})
