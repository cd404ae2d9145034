import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type FaultySignInProvider, faultySignInProvider } from '@payments/testing/peers/sign-in-provider'
import { readTitle, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

/** Two providers without RFC 9207, as many are: only the redirect URI says which one responded. */
let hostile: FaultySignInProvider
let world: SignInWorld
beforeAll(async () => {
  hostile = await faultySignInProvider()
  world = await startSignInWorld({ hostile: { issuer: hostile.issuer } })
  for (const provider of [hostile, world.provider]) provider.become('no issuer of the response')
})
afterAll(async () => {
  await world.stop()
  await hostile.close()
})

test('a provider that leads a person to another provider gets no code, and the sign-in is over', async () => {
  const { email } = await world.invite(await world.tenant())
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const victim = world.browser()
  const { headers } = await victim.get('/session/sign-in?provider=hostile')
  const atHostile = new URL(headers['location'] ?? '')
  expect(atHostile.origin).toBe(hostile.issuer)
  // The hostile provider sends the browser to the honest one, which accepts its registered redirect URI only.
  const atHonest = new URL(`${world.provider.issuer}/authorize${atHostile.search}`)
  atHonest.searchParams.set('redirect_uri', 'https://console.example/session/callback/acme')
  const response = await fetch(atHonest, { redirect: 'manual' })
  const { pathname, search } = new URL(response.headers.get('location') ?? '')
  const before = await world.counts()
  const reply = await victim.callback(`${pathname}${search}`)
  expect([reply.status, readTitle(reply)]).toEqual([400, 'The sign-in provider did not confirm who you are'])
  expect([hostile.paths, world.provider.paths].flat()).not.toContain('/token')
  expect(await world.counts()).toEqual(before)
  expect((await victim.callback(`/session/callback/hostile${search}`)).status).toBe(410)
  expect(hostile.paths).not.toContain('/token')
})

test('each provider has its own redirect URI, with which a person signs in', async () => {
  const { email } = await world.invite(await world.tenant())
  hostile.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const browser = world.browser()
  const callback = await browser.begin('/session/sign-in?provider=hostile')
  expect(callback).toMatch(/^\/session\/callback\/hostile\?code=/)
  expect(hostile.authorizations.at(-1)?.get('redirect_uri')).toBe('https://console.example/session/callback/hostile')
})
