import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const invite = async (tenant: TestTenant) => (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
const listIds = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)

describe('listUserInvitations', () => {
  test('lists the invitations of the tenant, newest first, page by page', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    await invite(other)
    const invited = [await invite(tenant), await invite(tenant), await invite(tenant)]
    const newestFirst = invited.map(({ id }) => id).reverse()
    expect(listIds(await tenant.by().listInvitations())).toEqual(newestFirst)
    const first = await tenant.by().listInvitations('?limit=2')
    const second = await tenant.by().listInvitations(`?limit=2&cursor=${first.body.next_cursor}`)
    expect([...listIds(first), ...listIds(second)]).toEqual(newestFirst)
  })

  test('filters by the status of now', async () => {
    const tenant = await world.tenant()
    const [open, canceled, expired, accepted] = [
      await invite(tenant),
      await invite(tenant),
      await invite(tenant),
      await invite(tenant),
    ]
    await tenant.by().cancel(canceled.id)
    await world.rows(
      `UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
      expired.id,
    )
    await world.rows('UPDATE user_invitations SET accepted_at = now() WHERE id = $1::uuid RETURNING id', accepted.id)
    const shown = { open, canceled, expired, accepted }
    for (const [status, invitation] of Object.entries(shown)) {
      const reply = await tenant.by().listInvitations(`?status=${status}`)
      expect(reply.body.data).toMatchObject([{ id: invitation.id, status }])
    }
  })
})
