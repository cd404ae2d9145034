import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordedIn } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

test('ends the session of this browser only, deletes the cookies, and shows it', async () => {
  const tenant = await world.tenant()
  const { browser, value, person, userId } = await world.signedIn(tenant)
  const other = world.browser()
  world.provider.signInAs(person)
  await other.signIn('acme')
  const response = await browser.post('/session/sign-out', {})
  expect([response.status, response.headers['location']]).toEqual([303, '/session/signed-out'])
  expect(response.headers['set-cookie']).toEqual([
    '__Host-session=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict',
    '__Host-sign-in=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
  ])
  expect(recordedIn(response)).toEqual([tenant.id, userId])
  expect(browser.cookies.size).toBe(0)
  expect(await world.identify(value)).toBeNull()
  expect(await world.identify(other.cookie('__Host-session') ?? '')).toMatchObject({ user_id: userId })
  expect((await tenant.events()).at(-1)).toMatchObject({ type: 'identity.sessions.end' })
})

test('a sign-in in progress in the browser ends, too', async () => {
  const { browser, person } = await world.signedIn(await world.tenant())
  world.provider.signInAs(person)
  const callback = await browser.begin('/session/sign-in?provider=acme')
  const secret = browser.cookie('__Host-sign-in') ?? ''
  await browser.post('/session/sign-out', {})
  browser.cookies.set('__Host-sign-in', { value: secret, sameSite: 'Lax' })
  expect((await browser.callback(callback)).status).toBe(410)
})

test('without a session, shows that the person is signed out', async () => {
  const response = await world.browser().post('/session/sign-out', {})
  expect(response.headers['location']).toBe('/session/signed-out')
  expect(recordedIn(response)).toEqual([undefined, undefined])
})
