import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

test('without a session, the page of the choice leads to the sign-in', async () => {
  const response = await world.browser().get('/session/choose-tenant')
  expect([response.status, response.headers['location']]).toEqual([303, '/session/sign-in'])
})
