import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createdAuthInfo, listRows, publicNames } from './auth-info-world.ts'
import { startWorld, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

const destination_url = 'https://hooks.example.com/'

test('rejects the deletion while a subscription refers to the auth info', async () => {
  const { tenant, tenantId, id, path: own } = await createdAuthInfo(world)
  const { unitPath: unit } = await tenantWithUnit(world, tenantId)
  const created = await tenant.post(unit, { destination_url, webhook_auth_info_id: id })
  expect([created.status, created.body.webhook_auth_info_id]).toEqual([201, id])
  const rejected = await tenant.delete(own)
  expect([rejected.status, rejected.body.code]).toEqual([409, 'auth_info_in_use'])
  const released = await tenant.put(`${unit}/${created.body.id}`, { webhook_auth_info_id: null })
  expect([released.status, released.body.webhook_auth_info_id]).toEqual([200, null])
  expect((await tenant.delete(own)).status).toBe(204)
  expect((await tenant.get(own)).status).toBe(404)
  expect((await tenant.delete(own)).status).toBe(404)
})

test('ignores references of deleted subscriptions', async () => {
  const { tenant, tenantId, id, path: own } = await createdAuthInfo(world)
  const { unitPath: unit } = await tenantWithUnit(world, tenantId)
  const created = await tenant.post(unit, { destination_url, webhook_auth_info_id: id })
  await tenant.delete(`${unit}/${created.body.id}`)
  expect((await tenant.delete(own)).status).toBe(204)
})

test('ten requests at once never both delete the auth info and refer to it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { tenantId, tenant, id, path: own } = await createdAuthInfo(world)
    const { unitPath: unit } = await tenantWithUnit(world, tenantId)
    const { body: other } = await tenant.post(unit, { destination_url })
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        if (i % 2 === 0) return tenant.delete(own)
        if (i % 4 === 1) return tenant.post(unit, { destination_url, webhook_auth_info_id: id })
        return tenant.put(`${unit}/${other.id}`, { webhook_auth_info_id: id })
      }),
    )
    const where = { webhookAuthInfoId: id, deletedAt: null }
    const used = await world.db.inTenant(tenantId, (tx) => tx.subscription.count({ where }))
    const isThere = (await listRows(world, tenantId)).length === 1
    expect({ isThere, used: used > 0 }).toEqual({ isThere, used: isThere })
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(isThere ? 0 : 1)
  }
})

test('returns 404 for an auth info of another tenant, and leaves it unchanged', async () => {
  const { tenantId, path: own } = await createdAuthInfo(world)
  const before = await listRows(world, tenantId)
  const reply = await world.asTenant(randomUUID()).delete(own)
  expect([reply.status, reply.body.code]).toEqual([404, 'auth_info_not_found'])
  expect(await listRows(world, tenantId)).toEqual(before)
})
