import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('operators see the user invitations of a tenant as the tenant sees them', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const { id } = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
  await tenant.by().invite({ email: newEmail(), role_ids: [] })
  await other.by().invite({ email: newEmail(), role_ids: [] })
  await tenant.by().cancel(id)
  for (const query of ['', '?limit=1', '?status=canceled']) {
    const { body } = await world.asOperator.listInvitationsIn(tenant.id, query)
    expect(body).toEqual((await tenant.by().listInvitations(query)).body)
    expect(body.data).not.toEqual([])
  }
})
