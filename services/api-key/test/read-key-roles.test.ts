import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads name and roles of a key, disabled or expired, and neither of an unknown or foreign key', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const role = await tenant.role(['apikey:ReadKey'])
  const { body: key } = await tenant.by().create({ name: 'till' })
  await tenant.by().assign(key.id, [role])
  await tenant.by().update(key.id, { enabled: false })
  const read = async (tenantId: string, keyId: string) => (await world.asService.readRoles(tenantId, keyId)).body
  expect(await read(tenant.id, key.id)).toEqual({ name: 'till', role_ids: [role] })
  const unknown = { name: null, role_ids: [] }
  expect([await read(other.id, key.id), await read(tenant.id, tenant.id)]).toEqual([unknown, unknown])
})
