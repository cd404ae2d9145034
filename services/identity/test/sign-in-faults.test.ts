import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { SignInFault } from '@payments/testing/peers/sign-in-provider'
import { newBrowser, readTitle, type TestBrowser, verifiedClaims } from './browsers.ts'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import type { TestTenant } from './world.ts'

let world: SignInWorld
let tenant: TestTenant
let browser: TestBrowser
let token: string
beforeAll(async () => {
  world = await startSignInWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))

beforeEach(async () => {
  const invited = await world.invite(tenant)
  token = invited.token
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(invited.email) })
  browser = world.browser()
})

const notConfirmed = 'The sign-in provider did not confirm who you are'
const clocks = 'The clocks do not match'
const unavailable = 'The sign-in provider is not available'

describe('signs no person in, and creates nothing, when the provider sends', () => {
  test.each<[SignInFault, number, string]>([
    ['wrong state', 410, 'This sign-in is over'],
    ['wrong nonce', 400, notConfirmed],
    ['wrong issuer', 400, notConfirmed],
    ['wrong issuer of the response', 400, notConfirmed],
    ['wrong audience', 400, notConfirmed],
    ['expired ID token', 400, clocks],
    ['old ID token', 400, clocks],
    ['ID token of the future', 400, clocks],
    ['no signature', 400, notConfirmed],
    ['signature by the client secret', 400, notConfirmed],
    ['signature by another key', 400, notConfirmed],
    ['no ID token', 400, notConfirmed],
    ['no auth_time', 400, notConfirmed],
    ['stale auth_time', 403, 'The sign-in provider did not confirm you again'],
    ['access denied', 403, 'The sign-in was canceled'],
    ['server error', 503, unavailable],
    ['unknown code', 400, notConfirmed],
    ['unknown client', 503, unavailable],
    ['down', 503, unavailable],
    ['oversized documents', 503, unavailable],
    ['redirects', 503, unavailable],
    ['no JSON', 503, unavailable],
  ])('%s', async (fault, status, title) => {
    const before = await world.counts()
    // The documents of the provider are known: a fault of theirs has a test of its own.
    await browser.begin('/session/sign-in?provider=acme')
    world.provider.become(fault)
    const response = await browser.signInByLink(token)
    expect([response.status, readTitle(response)]).toEqual([status, title])
    expect(response.text).toContain(status === 410 ? 'Open the console' : 'Begin again')
    expect(browser.cookie('__Host-session')).toBeUndefined()
    expect(await world.counts()).toEqual(before)
  })
})

test('reads documents with a byte order mark, null, another status, Content-Type and token type', async () => {
  const providers = await openProviders(world.provider, { unusual: {} })
  const fresh = newBrowser({ ...world, app: world.createAppWith({ providers }) })
  world.provider.become('unusual documents')
  await fresh.signInByLink(token, 'unusual')
  expect(await world.identify(fresh.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
  providers.close()
})

test('after a failure, the same browser can begin again and sign in', async () => {
  world.provider.become('wrong nonce')
  expect((await browser.signInByLink(token)).status).toBe(400)
  world.provider.become(null)
  await browser.signInByLink(token)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: tenant.id })
})

test.each<[SignInFault]>([['down'], ['oversized documents'], ['redirects'], ['no JSON']])(
  'begins no sign-in at a provider whose documents were never read: %s',
  async (fault) => {
    const providers = await openProviders(world.provider, { fresh: {} })
    const fresh = newBrowser({ ...world, app: world.createAppWith({ providers }) })
    const before = await world.count('sign_ins')
    world.provider.become(fault)
    const response = await fresh.get('/session/sign-in?provider=fresh')
    expect([response.status, readTitle(response), response.headers['retry-after']]).toEqual([503, unavailable, '60'])
    expect(await world.count('sign_ins')).toBe(before)
    world.provider.become(null)
    expect((await fresh.get('/session/sign-in?provider=fresh')).status).toBe(303)
    providers.close()
  },
)

test('a provider whose discovery document has another issuer, if only by a slash, signs no person in', async () => {
  const issuer = `${world.provider.issuer}/`
  const providers = await openProviders(world.provider, { slash: { issuer } })
  const fresh = newBrowser({ ...world, app: world.createAppWith({ providers }) })
  const response = await fresh.get('/session/sign-in?provider=slash')
  expect([response.status, readTitle(response)]).toEqual([503, unavailable])
  providers.close()
})

test('gives a provider five seconds', async () => {
  await browser.begin('/session/sign-in?provider=acme')
  const callback = await browser.begin('/session/sign-in?provider=acme')
  world.provider.become('silent')
  const response = await browser.callback(callback)
  expect([response.status, readTitle(response)]).toEqual([503, unavailable])
})

test('a provider on a private address gets no request, unless the configuration allows it', async () => {
  const providers = await openProviders(world.provider, { private: {} }, { allowPrivate: false })
  const fresh = newBrowser({ ...world, app: world.createAppWith({ providers }) })
  const before = world.provider.paths.length
  expect((await fresh.get('/session/sign-in?provider=private')).status).toBe(503)
  expect(world.provider.paths).toHaveLength(before)
  providers.close()
})

test('a session that an attacker planted in the browser is never the session of the person', async () => {
  const attacker = await world.signedIn(tenant)
  const invited = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(invited.email) })
  browser.cookies.set('__Host-session', { value: attacker.value, sameSite: 'Strict' })
  expect((await browser.signInByLink(invited.token)).status).toBe(303)
  const own = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(own.user_id).not.toBe(attacker.userId)
  expect(browser.cookie('__Host-session')).not.toBe(attacker.value)
  expect(await world.identify(attacker.value)).toBeNull()
})

test.each([
  'https://evil.example/console',
  '//evil.example/console',
  '/console/../session/sign-out',
  '/console/%2e%2e/session/sign-out',
  '/console\\evil',
  '/pay/x',
  '/console#https://evil.example',
  'javascript:alert(1)',
])('a return_to that leads elsewhere is ignored: %s', async (written) => {
  const callback = await browser.beginByLink(token, `acme&return_to=${encodeURIComponent(written)}`)
  const response = await browser.callback(callback)
  expect([response.status, response.headers['location']]).toEqual([303, '/console'])
})

test('a return_to that is swapped in the callback has no effect', async () => {
  const callback = await browser.beginByLink(token, 'acme&return_to=/console/keys')
  const response = await browser.callback(`${callback}&return_to=/console/users`)
  expect([response.status, response.headers['location']]).toEqual([303, '/console/keys'])
})

test.each(['auth0|5f7c88', 'ada@example.com', 'a:b:c', "'; DROP--", '💳'.repeat(127), '\u202Eevil', '%00'])(
  'a subject is any text of 255 characters, in every list and command: %s',
  async (subject) => {
    const invited = await world.invite(tenant)
    const claims = verifiedClaims(invited.email, { name: `A\u0000da\r\n${'💳'.repeat(300)}\uD800`, sid: 's\u0000' })
    world.provider.signInAs({ subject, claims })
    await browser.signInByLink(invited.token)
    const session = await world.identify(browser.cookie('__Host-session') ?? '')
    expect(session).toMatchObject({ tenant_id: tenant.id })
    const { body: user } = await tenant.by().readUser(session.user_id)
    expect(user.name).toMatch(/^A da 💳{195}$/u)
    expect((await world.asOperator.exportUser(session.user_id)).body).toMatchObject({
      subjects: [{ subject }],
      sessions: [{ subject, provider_session_id: null }],
    })
    const logout = { logout_token: world.provider.logoutToken({ sub: subject }) }
    expect((await browser.post('/session/back-channel-logout', logout)).status).toBe(200)
    expect(await world.identify(browser.cookie('__Host-session') ?? '')).toBeNull()
  },
)

test.each(['x'.repeat(256), 'a\u0000b', 'a\nb', '\uD800', ''])(
  'a subject that cannot be stored signs in no person: %j',
  async (subject) => {
    world.provider.signInAs({ subject, claims: verifiedClaims((await world.invite(tenant)).email) })
    const response = await browser.signInByLink(token)
    expect([response.status, readTitle(response)]).toEqual([400, notConfirmed])
    const logout = { logout_token: world.provider.logoutToken({ sub: subject }) }
    expect((await browser.post('/session/back-channel-logout', logout)).status).toBe(400)
  },
)
