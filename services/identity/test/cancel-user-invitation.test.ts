import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('cancelUserInvitation', () => {
  test('ends the link and the mail, and emits an event', async () => {
    const tenant = await world.tenant()
    const { id } = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
    const reply = await tenant.by().cancel(id)
    expect([reply.status, reply.body.status]).toEqual([200, 'canceled'])
    expect(await tenant.invitation(id)).toMatchObject({ token_encrypted: null, mail_due_at: null })
    expect(await world.mailedLink(world.app, tenant.id, id)).toBeUndefined()
    expect((await tenant.events()).at(-1)).toMatchObject({
      type: 'identity.user-invitations.cancel',
      payload: { user_invitation: { id, status: 'canceled' } },
    })
  })

  test('ten at once: one is canceled; a repeated request with an Idempotency-Key gets the first response', async () => {
    const tenant = await world.tenant()
    const { id } = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().cancel(id)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ body: { code } }) => code === 'user_invitation_not_open')).toHaveLength(9)
    expect(await tenant.events()).toHaveLength(2)
    const next = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
    const [caller, key] = [tenant.by(), randomUUID()]
    const first = await caller.cancel(next.id, key)
    expect((await caller.cancel(next.id, key)).body).toEqual(first.body)
  })

  test('needs the permissions that the roles of the invitation grant', async () => {
    const tenant = await world.tenant()
    const { id } = (await tenant.by().invite({ email: newEmail(), role_ids: [tenant.adminRole] })).body
    const weaker = tenant.by(['user:InviteUser', 'user:ReadUser'])
    expect(outcome(await weaker.cancel(id))).toEqual([403, 'would_exceed_own_permissions'])
    expect((await weaker.readInvitation(id)).body.status).toBe('open')
    const { id: viewerId } = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
    expect((await weaker.cancel(viewerId)).status).toBe(200)
  })

  test('the invitation of another tenant is not found', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const { id } = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body
    expect(outcome(await other.by().cancel(id))).toEqual([404, 'user_invitation_not_found'])
    expect((await tenant.by().readInvitation(id)).body.status).toBe('open')
  })
})
