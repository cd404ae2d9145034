import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const count = async (tenantId: string, roleId: string) =>
  (await world.asRbac.countMembers(tenantId, roleId)).body.count as number

test('counts the users with a role, disabled ones included, and the open invitations', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const [role, spare] = [await tenant.role(['user:ReadUser']), await tenant.role(['user:ReadUser'])]
  await tenant.member([role, tenant.viewerRole])
  const disabled = await tenant.member([role], { enabled: false })
  const invite = async () => (await tenant.by().invite({ email: newEmail(), role_ids: [role] })).body.id
  const [canceled, expired] = [await invite(), await invite()]
  await invite()
  expect(await count(tenant.id, role)).toBe(5)
  await tenant.by().cancel(canceled)
  await world.rows(
    `UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
    expired,
  )
  await tenant.by().removeUser(disabled.id)
  expect([await count(tenant.id, role), await count(tenant.id, spare), await count(other.id, role)]).toEqual([2, 0, 0])
})
