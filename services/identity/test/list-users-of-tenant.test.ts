import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('operators see the users of a tenant as the tenant sees them', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  await tenant.member([tenant.viewerRole])
  await tenant.member([tenant.adminRole], { enabled: false })
  await other.member()
  for (const query of ['', '?limit=1', '?enabled=false', `?role_id=${tenant.viewerRole}`]) {
    const { body } = await world.asOperator.listUsersIn(tenant.id, query)
    expect(body).toEqual((await tenant.by().listUsers(query)).body)
    expect(body.data).not.toEqual([])
  }
})
