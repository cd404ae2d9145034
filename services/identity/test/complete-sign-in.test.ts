import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { holdLock } from '@payments/testing/database/held-lock'
import { readTitle, recordedIn, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

const onlyTenant = randomUUID()
let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({
    limited: { tenants: [onlyTenant] },
    domains: { email_domains: ['acme.example'] },
  })
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))

test('signs an invited person in by their verified email address, and creates user, membership and session', async () => {
  const tenant = await world.tenant()
  const { email, token } = await world.invite(tenant)
  const subject = randomUUID()
  const browser = world.browser()
  world.provider.signInAs({ subject, claims: verifiedClaims(email.toUpperCase(), { sid: 'p1' }) })
  const callback = await browser.beginByLink(token, 'acme&return_to=/console/keys?page=2')
  const response = await browser.callback(callback)
  expect([response.status, response.headers['location']]).toEqual([303, '/console/keys?page=2'])
  expect(response.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-session=pss_dev_\w{49}; Path=\/; Max-Age=129600; Secure; HttpOnly; SameSite=Strict$/,
    ),
  ])
  const session = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(session).toMatchObject({ tenant_id: tenant.id, kind: 'browser', role_ids: [tenant.viewerRole] })
  expect(recordedIn(response)).toEqual([tenant.id, session.user_id])
  const [row] = await world.rows('SELECT * FROM sessions WHERE id = $1::uuid', session.session_id)
  expect(row).toMatchObject({
    provider_id: 'acme',
    issuer: world.provider.issuer,
    subject,
    provider_session_id: 'p1',
    ip: '192.0.2.1',
    user_agent: 'Browser/1',
  })
  const user = (await tenant.by().readUser(session.user_id).expect(200)).body
  expect(user).toMatchObject({ email: email.toUpperCase(), name: 'Grace Hopper', enabled: true })
  expect(user.last_signed_in_at).toEqual(expect.any(String))
  expect((await tenant.events()).map(({ type }) => type)).toEqual([
    'identity.user-invitations.create',
    'identity.users.create',
    'identity.user-invitations.accept',
    'identity.sessions.create',
  ])
  expect(JSON.stringify(await tenant.events())).not.toContain('Grace')
})

test('the authorization request has PKCE, state, nonce and max_age', async () => {
  await world.browser().begin('/session/sign-in?provider=acme')
  const params = Object.fromEntries(world.provider.authorizations.at(-1) ?? [])
  const secret = expect.stringMatching(/^[\w-]{43}$/)
  expect(params).toEqual({
    client_id: 'payment-service',
    response_type: 'code',
    redirect_uri: 'https://console.example/session/callback/acme',
    scope: 'openid email profile',
    state: secret,
    nonce: secret,
    code_challenge: secret,
    code_challenge_method: 'S256',
    max_age: '43200',
  })
})

test('a user signs in again as the same user, with a new session, and the name and email of the provider', async () => {
  const tenant = await world.tenant()
  const { browser, person, session, value, userId } = await world.signedIn(tenant)
  const email = newEmail()
  world.provider.signInAs({ ...person, claims: verifiedClaims(email, { name: 'Ada King' }) })
  expect((await browser.signIn('acme')).status).toBe(303)
  const again = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(again).toMatchObject({ user_id: userId, tenant_id: tenant.id })
  expect(again.session_id).not.toBe(session.session_id)
  expect(await world.identify(value)).toBeNull()
  expect((await tenant.by().readUser(userId)).body).toMatchObject({ email, name: 'Ada King' })
  expect((await tenant.events()).map(({ type }) => type).slice(-2)).toEqual([
    'identity.sessions.end',
    'identity.sessions.create',
  ])
})

test('a person whom many tenants disabled enters the tenant that did not', async () => {
  const { browser, userId } = await world.signedIn(await world.tenant())
  const tenants = []
  for (let index = 0; index < 10; index += 1) tenants.push(await world.tenant())
  for (const { id } of tenants) await world.join(id, userId, [], false)
  await world.rows(
    `UPDATE memberships SET last_signed_in_at = now() + interval '1 hour' WHERE user_id = $1::uuid AND NOT enabled`,
    userId,
  )
  expect((await browser.signIn('acme')).status).toBe(303)
})

test('a user who is disabled during the sign-in gets a page, and no session', async () => {
  const tenant = await world.tenant()
  const { browser, userId } = await world.signedIn(tenant)
  await browser.post('/session/sign-out', {})
  const callback = await browser.begin('/session/sign-in?provider=acme')
  const change = await holdLock(
    world.database.ownerUrl,
    'UPDATE memberships SET enabled = false WHERE tenant_id = $1::uuid AND user_id = $2::uuid',
    tenant.id,
    userId,
  )
  const completing = browser.callback(callback)
  await change.untilWaiting(1)
  await change.release()
  const response = await completing
  expect([response.status, readTitle(response)]).toEqual([403, 'Your access is disabled'])
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toEqual([])
})

test('a callback works once, also of ten at once, and later leads to where the first one led', async () => {
  const tenant = await world.tenant()
  const { email, token } = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const browser = world.browser()
  const callback = await browser.beginByLink(token, 'acme&return_to=/console/keys')
  const replayer = world.browser()
  replayer.cookies.set('__Host-sign-in', { value: browser.cookie('__Host-sign-in') ?? '', sameSite: 'Lax' })
  const responses = await Promise.all(Array.from({ length: 10 }, () => replayer.callback(callback)))
  expect(responses.filter(({ headers }) => headers['set-cookie'] !== undefined)).toHaveLength(1)
  const others = responses.filter(({ headers }) => headers['set-cookie'] === undefined)
  for (const { status, text } of others) expect([303, 410, text.includes('__Host')]).toContain(status)
  const reloaded = await browser.callback(callback)
  expect([reloaded.status, reloaded.headers['location'], reloaded.headers['set-cookie']]).toEqual([
    303,
    '/console/keys',
    undefined,
  ])
  await tenant
    .by()
    .endAllSessions((await world.identify(replayer.cookie('__Host-session') ?? '')).user_id)
    .expect(200)
  expect(readTitle(await browser.callback(callback))).toBe('This sign-in is over')
  expect(world.provider.paths.filter((path) => path === '/token').length).toBeGreaterThan(0)
  expect((await tenant.events()).filter(({ type }) => type === 'identity.sessions.create')).toHaveLength(1)
})

test('two tabs of a browser can each complete their sign-in, and one session is left', async () => {
  const tenant = await world.tenant()
  const { browser, person, userId } = await world.signedIn(tenant)
  await browser.post('/session/sign-out', {})
  world.provider.signInAs(person)
  const [one, other] = [
    await browser.begin('/session/sign-in?provider=acme&return_to=/console/keys'),
    await browser.begin('/session/sign-in?provider=acme&return_to=/console/users'),
  ]
  const replies = [await browser.callback(other), await browser.callback(one)]
  expect(replies.map(({ headers }) => headers['location'])).toEqual(['/console/users', '/console/keys'])
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toHaveLength(1)
  expect((await browser.callback(other)).headers['location']).toBe('/console/users')
})

test('a callback that is unknown leads a browser with a session to the console', async () => {
  const { browser } = await world.signedIn(await world.tenant())
  const response = await browser.get(`/session/callback/acme?code=c&state=${'x'.repeat(43)}`)
  expect([response.status, response.headers['location']]).toEqual([303, '/console'])
})

test('rejects a callback in another browser, and leaves the sign-in to the one that began it', async () => {
  const tenant = await world.tenant()
  const { email, token } = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const [victim, attacker] = [world.browser(), world.browser()]
  const callback = await attacker.beginByLink(token)
  const response = await victim.callback(callback)
  expect([response.status, readTitle(response)]).toEqual([400, 'This browser did not begin the sign-in'])
  await victim.begin('/session/sign-in?provider=acme')
  expect([(await victim.callback(callback)).status, victim.cookie('__Host-session')]).toEqual([400, undefined])
  await attacker.callback(callback)
  expect(await world.identify(attacker.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
})

test('rejects an expired sign-in', async () => {
  const browser = world.browser()
  const callback = await browser.begin('/session/sign-in?provider=acme')
  await world.rows(`UPDATE sign_ins SET expires_at = now() - interval '1 second'`)
  const before = await world.counts()
  const response = await browser.callback(callback)
  expect([response.status, readTitle(response)]).toEqual([410, 'This sign-in is over'])
  expect(await world.counts()).toEqual(before)
})

test.each([
  ['no state', '?code=c'],
  ['a malformed state', '?code=c&state=short'],
])('rejects a callback with %s', async (_, query) => {
  const browser = world.browser()
  await browser.begin('/session/sign-in?provider=acme')
  expect((await browser.callback(`/session/callback/acme${query}`)).status).toBe(400)
})

test.each([
  ['whose address is not verified', { email_verified: false }, 'Your email address is not verified'],
  ['whose verification is unknown', { email_verified: undefined }, 'Your email address is not verified'],
  ['without an address', { email: undefined }, 'Your email address is not verified'],
  ['without an invitation', { email: 'stranger@example.com' }, 'You are not a user yet'],
])('signs in no person %s', async (_, claims, title) => {
  const { email } = await world.invite(await world.tenant())
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email, claims) })
  const before = await world.counts()
  const browser = world.browser()
  const response = await browser.signIn('acme')
  expect([response.status, readTitle(response), browser.cookie('__Host-session')]).toEqual([403, title, undefined])
  expect(await world.counts()).toEqual(before)
})

test('an unverified address of a known user does not replace their address', async () => {
  const tenant = await world.tenant()
  const { browser, person, email, userId } = await world.signedIn(tenant)
  world.provider.signInAs({ ...person, claims: { email: newEmail(), email_verified: false } })
  expect((await browser.signIn('acme')).status).toBe(303)
  expect((await tenant.by().readUser(userId)).body).toMatchObject({ email, name: 'Grace Hopper' })
})

test('a user of one tenant enters it, and an invitation into another stays open', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const { browser, email } = await world.signedIn(first)
  await world.invite(second, email)
  expect((await browser.signIn('acme')).headers['location']).toBe('/console')
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: first.id })
  expect(await world.rows('SELECT 1 FROM memberships WHERE tenant_id = $1::uuid', second.id)).toEqual([])
})

test('a removed person is not signed in, until they are invited again', async () => {
  const tenant = await world.tenant()
  const { browser, email, userId } = await world.signedIn(tenant)
  await tenant.by().removeUser(userId).expect(204)
  expect(readTitle(await browser.signIn('acme'))).toBe('You are not a user yet')
  const { token } = await world.invite(tenant, email)
  expect((await browser.signInByLink(token)).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ user_id: userId })
})

test('a disabled user is not signed in', async () => {
  const tenant = await world.tenant()
  const { browser, userId } = await world.signedIn(tenant)
  await tenant.member([tenant.adminRole])
  await tenant.by().updateUser(userId, { enabled: false }).expect(200)
  const response = await browser.signIn('acme')
  expect([response.status, readTitle(response)]).toEqual([403, 'Your access is disabled'])
})

test('a user of a suspended tenant is not signed in, and enters another of their tenants', async () => {
  const [suspended, other] = [await world.tenant(), await world.tenant()]
  const { browser, userId } = await world.signedIn(suspended)
  await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: suspended.id } })
  const response = await browser.signIn('acme')
  expect([response.status, readTitle(response)]).toEqual([403, 'Your organization is suspended'])
  await world.join(other.id, userId, [other.viewerRole])
  expect((await browser.signIn('acme')).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: other.id })
})

test('a provider signs people in to its own tenants only', async () => {
  const tenant = await world.tenant()
  const { person, browser } = await world.signedIn(tenant)
  world.provider.signInAs(person)
  const response = await browser.signIn('limited')
  expect([response.status, readTitle(response)]).toEqual([403, 'This sign-in provider is not for your organization'])
  const { email } = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  expect(readTitle(await world.browser().signIn('limited'))).toBe('You are not a user yet')
})

test('a provider with domains accepts verified addresses of these domains only', async () => {
  const tenant = await world.tenant()
  const [inside, outside] = [`${randomUUID()}@ACME.example`, `${randomUUID()}@acme.example.net`]
  const [{ token }] = await Promise.all([world.invite(tenant, inside), world.invite(tenant, outside)])
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(outside) })
  expect(readTitle(await world.browser().signIn('domains'))).toBe('This account cannot be used here')
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(inside, { email_verified: false }) })
  expect(readTitle(await world.browser().signIn('domains'))).toBe('Your email address is not verified')
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(inside) })
  expect((await world.browser().signInByLink(token, 'domains')).headers['location']).toBe('/console')
})
