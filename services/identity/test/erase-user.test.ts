import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { outcome } from '@payments/testing/calls/caller'
import { personEverywhere } from './person-everywhere.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('an idempotent request stores no email address, and repeats its reply with that of the invitation', async () => {
  const tenant = await world.tenant()
  const user = await tenant.member()
  const other = await world.tenant()
  const [caller, body] = [other.by(), { email: user.email, role_ids: [] }]
  const keys = [randomUUID(), randomUUID(), randomUUID()]
  const [first, second, third] = keys
  const invited = (await caller.invite(body, first)).body
  const longAgo = firstIdAt(new Date(Date.now() - 120_000))
  await world.rows('UPDATE user_invitations SET message_id = $2::uuid WHERE id = $1::uuid', invited.id, longAgo)
  const replies = [
    invited,
    (await caller.resend(invited.id, second)).body,
    (await caller.cancel(invited.id, third)).body,
  ]
  expect(replies.map(({ email }) => email)).toEqual(keys.map(() => user.email))
  const stored = await world.rows('SELECT reply::text FROM idempotency_keys WHERE tenant_id = $1::uuid', other.id)
  expect(stored).toHaveLength(3)
  expect(JSON.stringify(stored)).not.toContain(user.email)
  const repeated = async () => [
    (await caller.invite(body, first)).body,
    (await caller.resend(invited.id, second)).body,
    (await caller.cancel(invited.id, third)).body,
  ]
  expect(await repeated()).toEqual(replies)
  await world.asOperator.eraseUser(user.id).expect(200)
  expect(await repeated()).toEqual(replies.map((reply) => ({ ...reply, email: null })))
})

test('an erasure removes the person from every tenant and leaves no name, address or subject; the id stays', async () => {
  const { tenant, other, third, user, session, open } = await personEverywhere(world)
  const { body } = await world.asOperator.eraseUser(user.id)
  expect(body).toEqual({ user_id: user.id, tenant_ids: [tenant.id, other.id] })
  expect(await world.identify(session.value)).toBeNull()
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
