import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { issuer, newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A user of two tenants, with a session, an open invitation elsewhere and an accepted one. */
async function personEverywhere() {
  const [tenant, other, third] = [await world.tenant(), await world.tenant(), await world.tenant()]
  const user = await tenant.member([tenant.viewerRole], { email: newEmail(), name: `Grace ${randomUUID()}` })
  await world.join(other.id, user.id, [other.adminRole])
  const session = await user.signIn()
  const open = (await third.by().invite({ email: user.email.toUpperCase(), role_ids: [] })).body
  return { tenant, other, third, user, session, open }
}

test('an export has everything that is stored about a person, of every tenant', async () => {
  const { tenant, other, third, user, session, open } = await personEverywhere()
  const { status, body } = await world.asOperator.exportUser(user.id)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: user.id,
    email: user.email,
    name: user.name,
    subjects: [{ issuer, subject: user.subject }],
    memberships: [
      { tenant_id: tenant.id, role_ids: [tenant.viewerRole], enabled: true },
      { tenant_id: other.id, role_ids: [other.adminRole], last_signed_in_at: null },
    ],
    invitations: [{ tenant_id: third.id, user_invitation: { id: open.id, email: user.email.toUpperCase() } }],
    sessions: [{ tenant_id: tenant.id, id: session.id, ip: '192.0.2.7', user_agent: 'Browser/1' }],
  })
  expect(outcome(await world.asOperator.exportUser(randomUUID()))).toEqual([404, 'user_not_found'])
})

test('an erasure removes the person from every tenant and leaves no name, address or subject; the id stays', async () => {
  const { tenant, other, third, user, session, open } = await personEverywhere()
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
