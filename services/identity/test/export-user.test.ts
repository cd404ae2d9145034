import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { personEverywhere } from './person-everywhere.ts'
import { issuer, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('an export has everything that is stored about a person, of every tenant', async () => {
  const { tenant, other, third, user, session, open } = await personEverywhere(world)
  const { status, body } = await world.asOperator.exportUser(user.id)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: user.id,
    email: user.email,
    name: user.name,
    subjects: [{ issuer, subject: user.subject }],
    memberships: [
      { tenant_id: tenant.id, role_ids: [tenant.viewerRole], enabled: true, created_by: 'user:test' },
      { tenant_id: other.id, role_ids: [other.adminRole], last_signed_in_at: null, sessions_ended_at: null },
    ],
    invitations: [{ tenant_id: third.id, user_invitation: { id: open.id, email: user.email.toUpperCase() } }],
    sessions: [
      {
        ...{ tenant_id: tenant.id, id: session.id, ip: '192.0.2.7', user_agent: 'Browser/1' },
        ...{ kind: 'browser', provider_id: 'test', issuer, subject: user.subject, provider_session_id: null },
        authenticated_at: session.session.authenticatedAt.toISOString(),
        expires_at: session.session.expiresAt.toISOString(),
      },
    ],
  })
  expect(body.memberships[0]).toHaveProperty('provider_id', null)
  expect(outcome(await world.asOperator.exportUser(randomUUID()))).toEqual([404, 'user_not_found'])
})
