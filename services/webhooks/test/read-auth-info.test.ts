import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { authInfoBody, createdAuthInfo, masked, path, publicNames, types } from './auth-info-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test.each(types)('returns %s as its creation did, with every credential masked', async (type) => {
  const tenant = world.asTenant(randomUUID())
  const created = await tenant.post(path, authInfoBody(type))
  const reply = await tenant.get(`${path}/${created.body.id}`)
  expect([reply.status, reply.body]).toEqual([200, created.body])
  expect(reply.body).toMatchObject({ name: 'Ledger', type, config: masked[type], hosts: [] })
})

test('names the subscriptions that use it in every unit, and not those that were deleted', async () => {
  const { tenantId, tenant, id, path: own } = await createdAuthInfo(world)
  const given = { tenantId, webhook_auth_info_id: id }
  const url = 'https://hooks.example.com/payments'
  const users = [
    await subscribe(world, url, given),
    await subscribe(world, url, given),
    await subscribe(world, url, given),
  ]
  await subscribe(world, url, { tenantId })
  await tenant.delete(users[1]?.path ?? '')
  const use = { subscription_ids: [users[0]?.id, users[2]?.id], subscription_count: 2 }
  const list = (await tenant.get(path)).body.data
  const replies = [list[0], (await tenant.get(`${own}/reveal`)).body, (await tenant.put(own, { name: 'Other' })).body]
  for (const body of [(await tenant.get(own)).body, ...replies]) expect(body).toMatchObject(use)
})

test('names at most 100 subscriptions', async () => {
  const { tenantId, tenant, id, path: own } = await createdAuthInfo(world)
  await world.db.inTenant(tenantId, (tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO subscriptions (id, tenant_id, business_unit_id, destination_url, event_types, secret_masked,
         webhook_auth_info_id, updated_at)
       SELECT gen_random_uuid(), $1::uuid, gen_random_uuid(), 'https://hooks.example.com/', '{}', '', $2::uuid, now()
       FROM generate_series(1, 101)`,
      tenantId,
      id,
    ),
  )
  const { subscription_ids: ids, subscription_count: count } = (await tenant.get(own)).body
  expect([ids.length, count]).toEqual([100, 101])
})

test('returns the same 404 for an auth info of another tenant and a missing one', async () => {
  const { tenant, path: own } = await createdAuthInfo(world)
  const replies = [await world.asTenant(randomUUID()).get(own), await tenant.get(`${path}/${randomUUID()}`)]
  const bodies = replies.map(({ body }) => JSON.stringify({ ...body, trace_id: '' }))
  expect(new Set(bodies).size).toBe(1)
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
    replies.map(() => [404, 'auth_info_not_found']),
  )
})
