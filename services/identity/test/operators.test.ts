import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('operators', () => {
  test('list users, invitations and sessions of a tenant as the tenant sees them', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole])
    const session = await user.signIn()
    await tenant.by().invite({ email: newEmail(), role_ids: [] })
    expect((await world.asOperator.usersOf(tenant.id)).body).toEqual((await tenant.by().listUsers()).body)
    expect((await world.asOperator.invitationsOf(tenant.id)).body).toEqual((await tenant.by().listInvitations()).body)
    const sessions = await world.asOperator.sessionsOf(tenant.id)
    expect(sessions.body.data).toMatchObject([{ id: session.id, user_id: user.id, current: false }])
    expect((await world.asOperator.sessionsOf(tenant.id, `?user_id=${randomUUID()}`)).body.data).toEqual([])
  })

  test('remove any user, also the last administrator', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.adminRole])
    const session = await user.signIn()
    expect((await world.asOperator.removeUserOf(tenant.id, user.id)).status).toBe(204)
    expect(await world.identityOf(session.value)).toBeNull()
    expect((await tenant.events()).at(-1)?.type).toBe('identity.users.delete')
    expect(outcome(await world.asOperator.removeUserOf(tenant.id, user.id))).toEqual([404, 'user_not_found'])
  })

  test('end the sessions of one user or of a tenant, and of no other', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const [one, two] = [await tenant.member(), await tenant.member()]
    await world.join(other.id, one.id, [])
    const sessions = [await one.signIn(), await one.signIn(), await two.signIn(), await world.signIn(other.id, one)]
    const alive = () => Promise.all(sessions.map(async ({ value }) => (await world.identityOf(value)) !== null))
    expect((await world.asOperator.endSessionsOf(tenant.id, `?user_id=${one.id}`)).body).toEqual({ ended: 2 })
    expect(await alive()).toEqual([false, false, true, true])
    expect((await world.asOperator.endSessionsOf(tenant.id)).body).toEqual({ ended: 1 })
    expect(await alive()).toEqual([false, false, false, true])
    const ended = (await tenant.events()).filter(({ type }) => type === 'identity.sessions.end')
    expect(ended).toHaveLength(3)
  })
})
