import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endedCredentialHeader } from '@payments/chassis/base/ended-credential'
import { outcome } from '@payments/testing/calls/caller'
import { withPeople } from './requests.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readSelf', () => {
  test('shows a person: name, tenant, roles by name, permissions, session, and the active tenants they may use', async () => {
    const [tenant, other, closed] = [await world.tenant(), await world.tenant(), await world.tenant()]
    const user = await tenant.member([tenant.viewerRole, tenant.adminRole], { name: 'Grace' })
    await world.join(other.id, user.id, [])
    await world.join(closed.id, user.id, [], false)
    const suspended = await world.tenant()
    await world.join(suspended.id, user.id, [])
    await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: suspended.id } })
    const session = await user.signIn({ minutesAgo: 3 })
    const reply = await session.by(['user:ReadUser', 'apikey:ReadKey'], [tenant.viewerRole, tenant.adminRole]).self()
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      actor: { type: 'user', id: user.id, name: 'Grace' },
      tenant: { id: tenant.id, name: 'Acme', status: 'active', created_at: tenant.createdAt },
      environment: 'dev',
      roles: [
        { id: tenant.adminRole, name: 'admin' },
        { id: tenant.viewerRole, name: 'viewer' },
      ],
      permissions: ['apikey:ReadKey', 'user:ReadUser'],
      session: {
        id: session.id,
        authenticated_at: session.session.authenticatedAt.toISOString(),
        expires_at: session.session.expiresAt.toISOString(),
      },
      invitations: [],
      memberships: [
        { tenant_id: tenant.id, tenant_name: 'Acme' },
        { tenant_id: other.id, tenant_name: 'Acme' },
      ],
    })
  })

  test('shows an API key with its name, and the JWT of another issuer without one; neither has a session', async () => {
    const tenant = await world.tenant()
    const id = randomUUID()
    world.apiKeyNames.set(id, 'till 7')
    const { asTenant } = world.createCallers(world.app)
    const key = withPeople(asTenant(tenant.id, ['user:ReadUser'], { type: 'api_key', id }))
    expect((await key.self()).body).toMatchObject({
      actor: { type: 'api_key', id, name: 'till 7' },
      permissions: ['user:ReadUser'],
      session: null,
      memberships: [],
    })
    expect((await tenant.byJwt([]).self()).body).toMatchObject({
      actor: { type: 'user', name: null },
      permissions: [],
      session: null,
      memberships: [],
    })
  })

  test('rejects a session that ended after its authentication', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member()
    const session = await user.signIn()
    await session.by().endSession(session.id)
    const reply = await session.by().self()
    expect(outcome(reply)).toEqual([401, 'invalid_credentials'])
    expect(reply.headers).toHaveProperty(endedCredentialHeader)
  })
})
