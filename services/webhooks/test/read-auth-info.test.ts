import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bodyOf, createdAuthInfo, masked, path, publicNames, types } from './auth-info-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test.each(types)('returns %s as its creation did, with every credential masked', async (type) => {
  const tenant = world.asTenant(randomUUID())
  const created = await tenant.post(path, bodyOf(type))
  const reply = await tenant.get(`${path}/${created.body.id}`)
  expect([reply.status, reply.body]).toEqual([200, created.body])
  expect(reply.body).toMatchObject({ name: 'Ledger', type, config: masked[type], hosts: [] })
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
