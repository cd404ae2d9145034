import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))

const send = (token: string) =>
  world.browser().post('/session/back-channel-logout', { logout_token: token, other_field: 'ignored' })
const now = () => Math.floor(Date.now() / 1000)

test('ends every session of a subject, over all tenants and browsers, and no session of others', async () => {
  const tenant = await world.tenant()
  const { person, value } = await world.signedIn(tenant)
  const [second, other] = [world.browser(), await world.signedIn(tenant)]
  world.provider.signInAs(person)
  await second.signIn('acme')
  const response = await send(world.provider.logoutToken({ sub: person.subject }))
  expect([response.status, response.text, response.headers['cache-control']]).toEqual([200, '', 'no-store'])
  expect(await world.identify(value)).toBeNull()
  expect(await world.identify(second.cookie('__Host-session') ?? '')).toBeNull()
  expect(await world.identify(other.value)).toEqual(other.session)
  expect((await tenant.events()).filter(({ type }) => type === 'identity.sessions.end')).toHaveLength(2)
})

test('with a session of the provider, ends the sessions that began with it only', async () => {
  const tenant = await world.tenant()
  const { person, value, email } = await world.signedIn(tenant, { claims: { sid: 'laptop' } })
  const phone = world.browser()
  world.provider.signInAs({ ...person, claims: { ...person.claims, email, sid: 'phone' } })
  await phone.signIn('acme')
  await send(world.provider.logoutToken({ sub: person.subject, sid: 'laptop' })).then(({ status }) =>
    expect(status).toBe(200),
  )
  expect(await world.identify(value)).toBeNull()
  const onPhone = phone.cookie('__Host-session') ?? ''
  expect(await world.identify(onPhone)).not.toBeNull()
  expect((await send(world.provider.logoutToken({ sid: 'phone' }))).status).toBe(200)
  expect(await world.identify(onPhone)).toBeNull()
})

test('with a session of the provider, also ends those of the subject whose session at the provider is unknown', async () => {
  const { person, value } = await world.signedIn(await world.tenant())
  expect((await send(world.provider.logoutToken({ sub: person.subject, sid: 'laptop' }))).status).toBe(200)
  expect(await world.identify(value)).toBeNull()
})

test.each<[string, object, object?]>([
  ['of another issuer', { iss: 'https://other.example' }],
  ['for another client', { aud: 'another-client' }],
  ['that has expired', { exp: now() - 3600 }],
  ['without an expiry', { exp: undefined }],
  ['of an hour ago', { iat: now() - 3600 }],
  ['of the future', { iat: now() + 3600 }],
  ['without an identifier', { jti: undefined }],
  ['without the event', { events: {} }],
  ['with a nonce', { nonce: 'n' }],
  ['that names no subject', { sub: undefined }],
  ['that is an ID token', {}, { typ: 'JWT' }],
  ['without a type', {}, { typ: undefined }],
  ['of another key', {}, { kid: 'key-2' }],
  ['without a signature', {}, { alg: 'none' }],
  ['signed with a shared secret', {}, { alg: 'HS256' }],
])('rejects a logout token %s, and ends no session', async (_, claims, header = {}) => {
  const { person, value, session } = await world.signedIn(await world.tenant())
  const token = world.provider.logoutToken({ sub: person.subject, ...claims }, header as Record<string, unknown>)
  expect((await send(token)).status).toBe(400)
  expect(await world.identify(value)).toEqual(session)
})

test('rejects a logout token that was changed', async () => {
  const { person, value, session } = await world.signedIn(await world.tenant())
  const [header, , signature] = world.provider.logoutToken({ sub: 'nobody' }).split('.')
  const [, payload] = world.provider.logoutToken({ sub: person.subject }).split('.')
  expect((await send([header, payload, signature].join('.'))).status).toBe(400)
  expect(await world.identify(value)).toEqual(session)
})

test('a logout token ends sessions once, so a replay does not end the next session', async () => {
  const { person, browser } = await world.signedIn(await world.tenant())
  const token = world.provider.logoutToken({ sub: person.subject })
  expect((await send(token)).status).toBe(200)
  world.provider.signInAs(person)
  await browser.signIn('acme')
  expect((await send(token)).status).toBe(400)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).not.toBeNull()
})

test('a logout that failed can be sent again', async () => {
  const { person, value } = await world.signedIn(await world.tenant())
  const token = world.provider.logoutToken({ sub: person.subject })
  await world.rows('ALTER TABLE outbox_events RENAME TO hidden')
  const failed = await send(token)
  await world.rows('ALTER TABLE hidden RENAME TO outbox_events')
  expect([failed.status, await world.identify(value)]).toEqual([500, expect.anything()])
  expect((await send(token)).status).toBe(200)
  expect(await world.identify(value)).toBeNull()
})

test.each([
  ['no token', ''],
  ['text that is no token', 'logout_token=x.y.z'],
  ['two tokens', 'logout_token=a&logout_token=b'],
])('rejects a form with %s', async (_, form) => {
  expect((await world.browser().post('/session/back-channel-logout', form)).status).toBe(400)
})

test('a provider whose keys cannot be read can send the token again', async () => {
  const { person, value } = await world.signedIn(await world.tenant())
  const providers = await openProviders(world.provider, { fresh: {} })
  const app = world.createAppWith({ providers })
  const token = world.provider.logoutToken({ sub: person.subject })
  const sendThere = () =>
    world.createCallers(app).asAnonymous().send('post', '/session/back-channel-logout', `logout_token=${token}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
  world.provider.become('down')
  expect((await sendThere()).status).toBe(503)
  world.provider.become(null)
  expect((await sendThere()).status).toBe(200)
  expect(await world.identify(value)).toBeNull()
  providers.close()
})
