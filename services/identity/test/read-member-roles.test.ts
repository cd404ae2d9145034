import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads each different set of roles of the enabled users once', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const both = [tenant.viewerRole, tenant.adminRole]
  await tenant.member(both)
  await tenant.member([...both].reverse())
  await tenant.member([tenant.viewerRole])
  await tenant.member([tenant.adminRole], { enabled: false })
  const sets = (await world.asRbac.memberRoles(tenant.id)).body.role_sets as string[][]
  expect(sets).toHaveLength(2)
  expect(sets).toEqual(expect.arrayContaining([[...both].sort(), [tenant.viewerRole]]))
  expect((await world.asRbac.memberRoles(other.id)).body).toEqual({ role_sets: [] })
})
