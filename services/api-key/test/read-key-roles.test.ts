import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads the roles of a key, disabled or expired, and none of an unknown or foreign key', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const role = await tenant.role(['apikey:ReadKey'])
  const { body: key } = await tenant.by().create()
  await tenant.by().assign(key.id, [role])
  await tenant.by().update(key.id, { enabled: false })
  const rolesOf = async (tenantId: string, keyId: string) =>
    (await world.asService.rolesOf(tenantId, keyId)).body.role_ids as string[]
  expect(await rolesOf(tenant.id, key.id)).toEqual([role])
  expect([await rolesOf(other.id, key.id), await rolesOf(tenant.id, tenant.id)]).toEqual([[], []])
})
