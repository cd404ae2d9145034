import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('removeUser', () => {
  test('removes the user from the tenant, ends their sessions there, and leaves those of other tenants', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member([tenant.viewerRole])
    await world.join(other.id, user.id, [other.viewerRole])
    const [here, there] = [await user.signIn(), await world.signIn(other.id, user)]
    expect((await tenant.by().removeUser(user.id)).status).toBe(204)
    expect(await world.identify(here.value)).toBeNull()
    expect(await world.identify(there.value)).toMatchObject({ session_id: there.id })
    expect(outcome(await tenant.by().readUser(user.id))).toEqual([404, 'user_not_found'])
    expect((await other.by().readUser(user.id)).status).toBe(200)
    const [, ended, removed] = await tenant.events()
    expect(ended).toMatchObject({ type: 'identity.sessions.end', payload: { session: { id: here.id } } })
    expect(removed).toMatchObject({ type: 'identity.users.delete', payload: { id: user.id } })
  })

  test('rejects a caller with fewer permissions, the user themselves, and the removal of the last administrator', async () => {
    const tenant = await world.tenant()
    const last = await tenant.member([tenant.adminRole])
    const session = await last.signIn()
    const events = await tenant.events()
    const weak = await tenant.by(['user:RemoveUser']).removeUser(last.id)
    expect(outcome(weak)).toEqual([403, 'would_exceed_own_permissions'])
    expect(outcome(await session.by().removeUser(last.id))).toEqual([409, 'own_user'])
    expect(outcome(await tenant.by().removeUser(last.id))).toEqual([409, 'last_administrator'])
    expect(await tenant.events()).toEqual(events)
    expect(await world.identify(session.value)).not.toBeNull()
  })

  test('ten at once, of two administrators: one is removed once, and one remains', async () => {
    const tenant = await world.tenant()
    const users = [await tenant.member([tenant.adminRole]), await tenant.member([tenant.adminRole])]
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tenant.by().removeUser(users[i % 2]?.id ?? '')),
    )
    const count = (code: number) => replies.filter(({ status }) => status === code).length
    expect([count(204), count(404) + count(409)]).toEqual([1, 9])
    expect((await tenant.by().listUsers()).body.data).toHaveLength(1)
    expect(await tenant.events()).toHaveLength(1)
  })

  test('the user of another tenant is not found', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    expect(outcome(await other.by().removeUser(user.id))).toEqual([404, 'user_not_found'])
    expect((await tenant.by().readUser(user.id)).status).toBe(200)
  })
})
