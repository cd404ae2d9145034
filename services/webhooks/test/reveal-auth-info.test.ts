import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { configs, createdAuthInfo, publicNames, types } from './auth-info-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test.each(types)('reveals %s unmasked, with Cache-Control no-store', async (type) => {
  const { tenant, path: own } = await createdAuthInfo(world, type)
  const reply = await tenant.get(`${own}/reveal`)
  expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
  expect(reply.body).toMatchObject({ type, config: configs[type] })
})

test('a config moved to another auth info cannot be decrypted', async () => {
  const one = await createdAuthInfo(world)
  const two = await createdAuthInfo(world, 'basic', one.tenantId)
  await world.db.inTenant(one.tenantId, async (tx) => {
    const row = await tx.authInfo.findFirstOrThrow({ where: { id: one.id } })
    await tx.authInfo.update({ where: { id: two.id }, data: { configEncrypted: row.configEncrypted } })
  })
  const reply = await two.tenant.get(`${two.path}/reveal`)
  expect(reply.status).toBe(500)
  expect(reply.text).not.toContain('secret')
})

test('returns 404 for an auth info of another tenant', async () => {
  const { path: own } = await createdAuthInfo(world)
  const reply = await world.asTenant(randomUUID()).get(`${own}/reveal`)
  expect([reply.status, reply.body.code]).toEqual([404, 'auth_info_not_found'])
  expect(reply.text).not.toContain('secret')
})
