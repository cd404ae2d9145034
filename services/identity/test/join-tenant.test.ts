import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { followClaims } from '../src/membership/follow-claims.ts'
import { acceptInvitation } from '../src/membership/join-tenant.ts'
import { lockInvitationById } from '../src/store/user-invitations.ts'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The transaction of a sign-in that accepts an invitation. */
const accept = (invitationId: string, userId: string) =>
  world.db.acrossTenants(async (tx) => {
    const invitation = await lockInvitationById(tx, invitationId)
    if (invitation === null) throw new Error('no such invitation')
    return acceptInvitation(tx, invitation, userId, randomUUID())
  })

const claim = (tenant: TestTenant, userId: string, roleIds: string[]) =>
  world.db.acrossTenants((tx) =>
    followClaims(tx, { tenantId: tenant.id, userId, providerId: 'acme', roleIds, traceId: randomUUID() }),
  )

describe('an accepted invitation', () => {
  test('makes the person a user with its roles, ends its link, and emits two events without personal data', async () => {
    const tenant = await world.tenant()
    const person = await world.person({ email: newEmail() })
    const caller = tenant.by()
    const { body } = await caller.invite({ email: person.email, role_ids: [tenant.viewerRole] })
    await accept(body.id, person.id)
    const inviter = `api_key:${caller.actor.id}`
    expect((await caller.readUser(person.id)).body).toMatchObject({
      email: person.email,
      role_ids: [tenant.viewerRole],
      created_by: inviter,
    })
    expect((await caller.readInvitation(body.id)).body).toMatchObject({ status: 'accepted', user_id: person.id })
    expect(await tenant.invitation(body.id)).toMatchObject({ token_encrypted: null, mail_due_at: null })
    const [, joined, accepted] = await tenant.events()
    expect(joined).toMatchObject({ type: 'identity.users.create', payload: { user: { id: person.id } } })
    expect(accepted).toMatchObject({
      type: 'identity.user-invitations.accept',
      payload: { user_invitation: { id: body.id, status: 'accepted', user_id: person.id } },
    })
    expect(JSON.stringify(await tenant.events())).not.toContain(person.email)
  })

  test('leaves the roles of a person who already is a user, also of a disabled one', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole], { enabled: false })
    const { body } = await tenant.by().invite({ email: newEmail(), role_ids: [tenant.adminRole] })
    await accept(body.id, user.id)
    expect((await tenant.by().readUser(user.id)).body).toMatchObject({ role_ids: [tenant.viewerRole], enabled: false })
    expect((await tenant.by().readInvitation(body.id)).body.status).toBe('accepted')
  })
})

describe('claims of a sign-in provider', () => {
  test('create a user, and replace the roles at a later sign-in with an event and an authorization change', async () => {
    const tenant = await world.tenant()
    const person = await world.person()
    await claim(tenant, person.id, [tenant.viewerRole])
    expect((await tenant.by().readUser(person.id)).body).toMatchObject({
      role_ids: [tenant.viewerRole],
      created_by: 'sign-in-provider:acme',
    })
    const { epoch } = await world.epoch()
    await claim(tenant, person.id, [tenant.viewerRole])
    expect((await world.epoch()).epoch).toBe(epoch)
    await claim(tenant, person.id, [tenant.adminRole])
    expect((await world.epoch(epoch)).invalidated).toEqual([{ kind: 'user', id: person.id }])
    expect((await tenant.by().readUser(person.id)).body.role_ids).toEqual([tenant.adminRole])
    expect((await tenant.events()).map(({ type }) => type)).toEqual(['identity.users.create', 'identity.users.update'])
  })

  test('do not enable a disabled user', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole], { enabled: false })
    await claim(tenant, user.id, [tenant.adminRole])
    expect((await tenant.by().readUser(user.id)).body).toMatchObject({ enabled: false, role_ids: [tenant.adminRole] })
  })
})
