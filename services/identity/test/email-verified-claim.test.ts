import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readTitle, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ entra: { email_verified_claim: 'xms_edov' } })
})
afterAll(() => world.stop())

async function signIn(provider: string, claims: object) {
  const { email, token } = await world.invite(await world.tenant())
  world.provider.signInAs({
    subject: randomUUID(),
    claims: verifiedClaims(email, { email_verified: undefined, ...claims }),
  })
  return world.browser().signInByLink(token, provider)
}

test.each([true, 'true', 1, '1'])('a provider names the claim of a verified address, which is %j', async (xms_edov) => {
  expect((await signIn('entra', { xms_edov })).status).toBe(303)
})

test.each([
  ['entra', { xms_edov: false }],
  ['entra', { xms_edov: '0' }],
  ['entra', { xms_edov: 'yes' }],
  ['entra', { email_verified: true }],
  ['entra', {}],
  ['acme', { xms_edov: true }],
])('at %s, an address with %j is not verified', async (provider, claims) => {
  const response = await signIn(provider, claims)
  expect([response.status, readTitle(response)]).toEqual([403, 'Your email address is not verified'])
})
