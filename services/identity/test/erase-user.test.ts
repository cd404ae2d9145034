import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { personEverywhere } from './person-everywhere.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('an erasure removes the person from every tenant and leaves no name, address or subject; the id stays', async () => {
  const { tenant, other, third, user, session, open } = await personEverywhere(world)
  const { body } = await world.asOperator.eraseUser(user.id)
  expect(body).toEqual({ user_id: user.id, tenant_ids: [tenant.id, other.id] })
  expect(await world.identityOf(session.value)).toBeNull()
  for (const { by } of [tenant, other]) expect((await by().readUser(user.id)).status).toBe(404)
  expect((await tenant.events()).at(-1)).toMatchObject({ type: 'identity.users.delete', payload: { id: user.id } })
  expect((await other.events()).at(-1)).toMatchObject({ type: 'identity.users.delete', payload: { id: user.id } })
  expect((await third.by().readInvitation(open.id)).body).toMatchObject({ email: null, status: 'canceled' })
  expect((await third.events()).at(-1)?.type).toBe('identity.user-invitations.cancel')
  expect((await world.asOperator.exportUser(user.id)).body).toMatchObject({
    id: user.id,
    email: null,
    name: null,
    subjects: [],
    memberships: [],
    invitations: [],
    sessions: [],
  })
  const text = await world.everyRow()
  expect(text).toContain(user.id)
  for (const personal of [user.email.toLowerCase(), user.name.toLowerCase(), user.subject]) {
    expect(text).not.toContain(personal)
  }
  expect(outcome(await world.asOperator.eraseUser(randomUUID()))).toEqual([404, 'user_not_found'])
})
