import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readTitle } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

test('shows the same page for every link, and changes nothing', async () => {
  const { token } = await world.invite(await world.tenant())
  const before = await world.count('sign_ins')
  const page = await world.browser().get('/session/accept')
  expect([page.status, readTitle(page)]).toEqual([200, 'You are invited'])
  expect(page.text).not.toContain(token)
  expect(page.headers['set-cookie']).toBeUndefined()
  expect(page.headers['content-security-policy']).toMatch(/script-src 'sha256-[\w+/=]+'; form-action 'self';/)
  expect(await world.count('sign_ins')).toBe(before)
})
