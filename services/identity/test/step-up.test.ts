import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { readTitle, recordedIn, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

test('replaces the session by one with a fresh sign-in, in the same tenant, and returns', async () => {
  const tenant = await world.tenant()
  const old = secondsAgo(3600)
  const { browser, person, value, session, email } = await world.signedIn(tenant, { claims: { auth_time: old } })
  world.provider.signInAs({ ...person, claims: verifiedClaims(email) })
  const response = await browser.stepUp('?return_to=/console/keys')
  expect([response.status, response.headers['location']]).toEqual([303, '/console/keys'])
  expect(Object.fromEntries(world.provider.authorizations.at(-1) ?? [])).toMatchObject({
    max_age: '0',
    login_hint: email,
  })
  expect(recordedIn(response)).toEqual([tenant.id, session.user_id])
  const fresh = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(fresh).toMatchObject({ user_id: session.user_id, tenant_id: tenant.id })
  expect(fresh.session_id).not.toBe(session.session_id)
  expect(Date.parse(fresh.authenticated_at)).toBeGreaterThan(Date.parse(session.authenticated_at))
  expect(await world.identify(value)).toBeNull()
})

test('another person does not step up, and the session stays', async () => {
  const tenant = await world.tenant()
  const { browser, value, session } = await world.signedIn(tenant)
  const { email } = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const response = await browser.stepUp()
  expect([response.status, readTitle(response)]).toEqual([403, 'You signed in as another person'])
  expect(browser.cookie('__Host-session')).toBe(value)
  expect(await world.identify(value)).toEqual(session)
  expect(await world.rows('SELECT 1 FROM users WHERE lower(email) = lower($1)', email)).toEqual([])
})

test('a provider that ignores max_age does not step up, and the session stays', async () => {
  const { browser, person, value, session, email } = await world.signedIn(await world.tenant())
  world.provider.signInAs({ ...person, claims: verifiedClaims(email, { auth_time: secondsAgo(90) }) })
  const response = await browser.stepUp()
  expect([response.status, readTitle(response)]).toEqual([403, 'The sign-in provider did not confirm you again'])
  expect(await world.identify(value)).toEqual(session)
})

test('a denied step-up leaves the session', async () => {
  const { browser, value, session } = await world.signedIn(await world.tenant())
  world.provider.become('access denied')
  expect((await browser.stepUp()).status).toBe(403)
  expect(await world.identify(value)).toEqual(session)
})

test('two tabs of a browser each step up, also after the first one has replaced the session', async () => {
  const tenant = await world.tenant()
  const { browser, person, userId } = await world.signedIn(tenant)
  world.provider.signInAs(person)
  const [one, other] = [
    await browser.begin('/session/step-up?return_to=/console/keys'),
    await browser.begin('/session/step-up?return_to=/console/users'),
  ]
  const replies = [await browser.callback(one), await browser.callback(other), await browser.callback(one)]
  expect(replies.map(({ headers }) => headers['location'])).toEqual([
    '/console/keys',
    '/console/users',
    '/console/keys',
  ])
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toHaveLength(1)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
})

test('a step-up returns to the tenant of its page, also after another tab has switched the tenant', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const { browser, person, userId } = await world.signedIn(tenant)
  await world.join(other.id, userId, [])
  world.provider.signInAs(person)
  const callback = await browser.begin('/session/step-up')
  await browser.post('/session/switch-tenant', { tenant_id: other.id })
  expect((await browser.callback(callback)).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toHaveLength(1)
})

test('a session that ended meanwhile is not revived', async () => {
  const tenant = await world.tenant()
  const { browser, userId } = await world.signedIn(tenant)
  const callback = await browser.begin('/session/step-up')
  await tenant.by().endAllSessions(userId).expect(200)
  const response = await browser.callback(callback)
  expect([response.status, readTitle(response)]).toEqual([410, 'Your session has ended'])
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toEqual([])
})

test('the end of all sessions of a user leaves none, whatever steps up at once', async () => {
  const tenant = await world.tenant()
  const people = []
  for (let count = 0; count < 10; count += 1) {
    const signedIn = await world.signedIn(tenant)
    world.provider.signInAs(signedIn.person)
    people.push({ ...signedIn, callback: await signedIn.browser.begin('/session/step-up') })
  }
  await Promise.all(
    people.flatMap(({ browser, callback, userId }) => [
      browser.callback(callback),
      tenant.by().endAllSessions(userId).expect(200),
    ]),
  )
  expect(await world.rows('SELECT 1 FROM sessions WHERE tenant_id = $1::uuid', tenant.id)).toEqual([])
})

test('a user who was disabled meanwhile does not step up', async () => {
  const tenant = await world.tenant()
  await tenant.member([tenant.adminRole])
  const { browser, userId } = await world.signedIn(tenant)
  const callback = await browser.begin('/session/step-up')
  await tenant.by().updateUser(userId, { enabled: false }).expect(200)
  expect((await browser.callback(callback)).status).toBe(410)
})

test.each([
  ['without a session', ''],
  ['with a malformed session', 'pss_dev_x'],
  ['with a session of another environment', `pss_prod_${'a'.repeat(49)}`],
])('%s, leads to the sign-in', async (_, value) => {
  const browser = world.browser()
  if (value !== '') browser.cookies.set('__Host-session', { value, sameSite: 'Strict' })
  const tenantId = crypto.randomUUID()
  const response = await browser.get(`/session/step-up?return_to=/console/keys&tenant_id=${tenantId}`)
  expect([response.status, response.headers['location']]).toEqual([
    303,
    `/session/sign-in?return_to=%2Fconsole%2Fkeys&tenant_id=${tenantId}`,
  ])
})

test('with an idle session, leads to the sign-in', async () => {
  const { browser, session } = await world.signedIn(await world.tenant())
  await world.rows(
    `UPDATE sessions SET last_seen_at = now() - interval '60 minutes 1 second' WHERE id = $1::uuid`,
    session.session_id,
  )
  expect((await browser.get('/session/step-up')).headers['location']).toBe('/session/sign-in')
})
