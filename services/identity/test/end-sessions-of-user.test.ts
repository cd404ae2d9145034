import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('endSessionsOfUser', () => {
  test('ends every session of the user in the tenant but that of the request', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    await world.join(other.id, user.id, [])
    const [current, second, elsewhere] = [await user.signIn(), await user.signIn(), await world.signIn(other.id, user)]
    const bystander = await (await tenant.member()).signIn()
    expect((await current.by([]).endAllSessions(user.id)).body).toEqual({ ended: 1 })
    expect(await world.identify(second.value)).toBeNull()
    for (const { value } of [current, elsewhere, bystander]) expect(await world.identify(value)).not.toBeNull()
    expect((await tenant.by().endAllSessions(user.id)).body).toEqual({ ended: 1 })
    expect(await world.identify(current.value)).toBeNull()
  })

  test('those of another user need user:RemoveUser; the user of another tenant is not found', async () => {
    const [tenant, elsewhere] = [await world.tenant(), await world.tenant()]
    const [user, other] = [await tenant.member(), await tenant.member()]
    const [own, foreign] = [await user.signIn(), await other.signIn()]
    expect(outcome(await own.by(['user:ReadUser']).endAllSessions(other.id))).toEqual([403, 'permission_denied'])
    expect(outcome(await elsewhere.by().endAllSessions(other.id))).toEqual([404, 'user_not_found'])
    expect(await world.identify(foreign.value)).not.toBeNull()
  })

  test('those of a user with more permissions are neither ended nor shown', async () => {
    const tenant = await world.tenant()
    const admin = await tenant.member([tenant.adminRole])
    const [session, events] = [await admin.signIn(), await tenant.events()]
    const weak = (await (await tenant.member()).signIn()).by(['user:RemoveUser', 'user:ReadUser'])
    const key = tenant.by(['user:RemoveUser'])
    for (const caller of [weak, key]) {
      for (const reply of [
        await caller.endAllSessions(admin.id),
        await caller.endSession(session.id),
        await caller.readSession(session.id),
        await caller.listSessions(`?user_id=${admin.id}`),
      ]) {
        expect(outcome(reply)).toEqual([403, 'would_exceed_own_permissions'])
        expect(reply.body.missing_permissions).toContain('apikey:AssignRoles')
      }
    }
    expect(await world.identify(session.value)).not.toBeNull()
    expect(await tenant.events()).toHaveLength(events.length + 1)
    const viewer = await tenant.member([await tenant.role(['user:ReadUser'])])
    await viewer.signIn()
    expect((await weak.endAllSessions(viewer.id)).body).toEqual({ ended: 1 })
  })

  test('a user without a permission ends their own, whatever their roles grant', async () => {
    const tenant = await world.tenant()
    const admin = await tenant.member([tenant.adminRole])
    const [current, other] = [await admin.signIn(), await admin.signIn()]
    expect((await current.by([]).endAllSessions(admin.id)).body).toEqual({ ended: 1 })
    expect(await world.identify(other.value)).toBeNull()
  })
})
