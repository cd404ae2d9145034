import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('inviteFirstUser', () => {
  test('invites a person with a role by name, returns the link of the mail, and emits an event', async () => {
    const tenant = await world.tenant()
    const email = newEmail()
    const reply = await world.asOperator.inviteFirst(tenant.id, { email, role_name: 'admin' })
    expect(reply.status).toBe(201)
    const { user_invitation: invitation, url } = reply.body
    expect(invitation).toMatchObject({ email, role_ids: [tenant.adminRole], created_by: 'service:payctl' })
    expect(url).toBe(await world.mailedLink(world.app, tenant.id, invitation.id))
    expect((await tenant.by().readInvitation(invitation.id)).body).toEqual(invitation)
    expect((await tenant.events()).map(({ type }) => type)).toEqual(['identity.user-invitations.create'])
    const again = await world.asOperator.inviteFirst(tenant.id, { email, role_name: 'admin' })
    expect(outcome(again)).toEqual([409, 'user_invitation_exists'])
  })

  test('rejects an unknown tenant, an unknown role and the address of a user', async () => {
    const tenant = await world.tenant()
    const member = await tenant.member()
    const body = { email: newEmail(), role_name: 'admin' }
    expect(outcome(await world.asOperator.inviteFirst(randomUUID(), body))).toEqual([404, 'tenant_not_found'])
    const unknown = await world.asOperator.inviteFirst(tenant.id, { ...body, role_name: 'nobody' })
    expect([...outcome(unknown), unknown.body.errors[0].pointer]).toEqual([422, 'unknown_role', '/role_name'])
    const again = await world.asOperator.inviteFirst(tenant.id, { ...body, email: member.email })
    expect(outcome(again)).toEqual([409, 'already_member'])
    expect(await tenant.events()).toEqual([])
  })
})
