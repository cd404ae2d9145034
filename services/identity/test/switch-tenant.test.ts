import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { holdLock } from '@payments/testing/database/held-lock'
import { newBrowser, readTitle, recordedIn } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import type { TestTenant } from './world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

test('replaces the session by one in the other tenant, which ends no later', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const { browser, value, session, userId } = await world.signedIn(first)
  await world.join(second.id, userId, [second.adminRole])
  await world.rows(`UPDATE sessions SET expires_at = now() + interval '1 hour' WHERE id = $1::uuid`, session.session_id)
  const before = await world.identify(value)
  const response = await browser.post('/session/switch-tenant', { tenant_id: second.id.toUpperCase() })
  expect([response.status, response.headers['location']]).toEqual([303, '/console'])
  expect(recordedIn(response)).toEqual([second.id, userId])
  const switched = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(switched).toMatchObject({
    tenant_id: second.id,
    user_id: userId,
    role_ids: [second.adminRole],
    authenticated_at: before.authenticated_at,
    expires_at: before.expires_at,
  })
  expect(switched.session_id).not.toBe(session.session_id)
  expect(await world.identify(value)).toBeNull()
  expect((await first.events()).map(({ type }) => type)).toContain('identity.sessions.end')
  expect((await second.events()).map(({ type }) => type)).toEqual(['identity.sessions.create'])
})

test('the tenant of the session needs no new session', async () => {
  const tenant = await world.tenant()
  const { browser, value } = await world.signedIn(tenant)
  const response = await browser.post('/session/switch-tenant', { tenant_id: tenant.id })
  expect([response.status, response.headers['location'], browser.cookie('__Host-session')]).toEqual([
    303,
    '/console',
    value,
  ])
})

test('ten switches at once leave one session', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const { browser, userId } = await world.signedIn(first)
  await world.join(second.id, userId, [])
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => browser.post('/session/switch-tenant', { tenant_id: second.id })),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 303))
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toHaveLength(1)
})

test.each(['a tenant of others', 'an unknown tenant', 'a tenant that disabled the user', 'a suspended tenant'])(
  'rejects %s, and the session stays',
  async (kind) => {
    const other = await world.tenant()
    const { browser, value, session, userId } = await world.signedIn(await world.tenant())
    if (kind === 'a tenant that disabled the user') await world.join(other.id, userId, [], false)
    if (kind === 'a suspended tenant') {
      await world.join(other.id, userId, [])
      await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: other.id } })
    }
    const tenantId = kind === 'an unknown tenant' ? randomUUID() : other.id
    const response = await browser.post('/session/switch-tenant', { tenant_id: tenantId })
    expect([response.status, readTitle(response)]).toEqual([403, 'You cannot use this organization'])
    expect(browser.cookie('__Host-session')).toBe(value)
    expect(await world.identify(value)).toEqual(session)
  },
)

test('rejects a tenant whose membership another provider gave, and the session stays', async () => {
  const other = await world.tenant()
  const { browser, value, session, userId } = await world.signedIn(await world.tenant())
  await world.join(other.id, userId, [other.viewerRole])
  const give = (providerId: string) =>
    world.rows(`UPDATE memberships SET provider_id = $2 WHERE tenant_id = $1::uuid`, other.id, providerId)
  await give('company')
  const response = await browser.post('/session/switch-tenant', { tenant_id: other.id })
  expect([response.status, readTitle(response)]).toEqual([403, 'You cannot use this organization'])
  expect(await world.identify(value)).toEqual(session)
  await give('acme')
  expect((await browser.post('/session/switch-tenant', { tenant_id: other.id })).status).toBe(303)
})

test('a user who is removed during the switch gets a page, and no session', async () => {
  const other = await world.tenant()
  const { browser, value, session, userId } = await world.signedIn(await world.tenant())
  await world.join(other.id, userId, [other.viewerRole])
  const removal = await holdLock(
    world.database.ownerUrl,
    'DELETE FROM memberships WHERE tenant_id = $1::uuid AND user_id = $2::uuid',
    other.id,
    userId,
  )
  const switching = browser.post('/session/switch-tenant', { tenant_id: other.id })
  await removal.untilWaiting(1)
  await removal.release()
  const response = await switching
  expect([response.status, readTitle(response)]).toEqual([403, 'Your access is disabled'])
  expect(await world.identify(value)).toEqual(session)
})

test('while rbac does not respond, gets a page, and the session stays', async () => {
  const other = await world.tenant()
  const { browser, value, session, userId } = await world.signedIn(await world.tenant())
  await world.join(other.id, userId, [other.viewerRole])
  const nowhere = { self: 'identity', baseUrl: 'http://127.0.0.1:1', timeoutMs: 500 } as const
  const rbac = client(rbacContract, { ...nowhere, keys: new Map([['rbac', createSecretKey(randomBytes(32))]]) })
  const offline = newBrowser({ ...world, app: world.createAppWith({ rbac }) })
  for (const [name, cookie] of browser.cookies) offline.cookies.set(name, cookie)
  const response = await offline.post('/session/switch-tenant', { tenant_id: other.id })
  expect([response.status, readTitle(response)]).toEqual([503, 'Sign-in is not available at the moment'])
  expect(await world.identify(value)).toEqual(session)
})

test('a session from before the end of all sessions in a tenant does not switch to it', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const [one, two] = [await world.signedIn(first), await world.signedIn(first)]
  for (const { userId } of [one, two]) await world.join(second.id, userId, [])
  await second.by().endAllSessions(one.userId).expect(200)
  await world.asOperator.endAllSessions(second.id, `?user_id=${two.userId}`).expect(200)
  for (const { browser, value, session } of [one, two]) {
    const refused = await browser.post('/session/switch-tenant', { tenant_id: second.id })
    expect([refused.status, refused.headers['location']]).toEqual([303, `/session/sign-in?tenant_id=${second.id}`])
    expect(await world.identify(value)).toEqual(session)
  }
  const endedAt = `now() - interval '1 minute'`
  await world.rows(`UPDATE memberships SET sessions_ended_at = ${endedAt} WHERE user_id = $1::uuid`, one.userId)
  const { headers } = await one.browser.post('/session/switch-tenant', { tenant_id: second.id })
  expect(headers['location']).toBe('/console')
})

/** Ten people with a session in the first tenant, who are users of the second one too. */
async function createTenUsers(first: TestTenant, second: TestTenant) {
  const people = []
  for (let count = 0; count < 10; count += 1) {
    const person = await world.signedIn(first)
    await world.join(second.id, person.userId, [])
    people.push(person)
  }
  return people
}

test('the end of all sessions in a tenant leaves none, whatever switches at once', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const people = await createTenUsers(first, second)
  const switches = people.map(({ browser }) => browser.post('/session/switch-tenant', { tenant_id: second.id }))
  await Promise.all([...switches, world.asOperator.endAllSessions(second.id).expect(200)])
  expect(await world.rows('SELECT 1 FROM sessions WHERE tenant_id = $1::uuid', second.id)).toEqual([])
})

test('a back-channel logout leaves no session, whatever switches at once', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const people = await createTenUsers(first, second)
  await Promise.all(
    people.flatMap(({ browser, person }) => [
      browser.post('/session/switch-tenant', { tenant_id: second.id }),
      world.browser().post('/session/back-channel-logout', {
        logout_token: world.provider.logoutToken({ sub: person.subject }),
      }),
    ]),
  )
  const tenantIds = [first.id, second.id]
  expect(await world.rows('SELECT 1 FROM sessions WHERE tenant_id = ANY ($1::uuid[])', tenantIds)).toEqual([])
})

test('a form without a tenant gets a page', async () => {
  const { browser } = await world.signedIn(await world.tenant())
  const response = await browser.post('/session/switch-tenant', { tenant_id: 'x' })
  expect([response.status, readTitle(response)]).toEqual([400, 'The request cannot be read'])
})

test('without a session, leads to the sign-in', async () => {
  const tenantId = randomUUID()
  const response = await world.browser().post('/session/switch-tenant', { tenant_id: tenantId })
  expect([response.status, response.headers['location']]).toEqual([303, `/session/sign-in?tenant_id=${tenantId}`])
})
