import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ zeta: { name: 'Zeta' } })
})
afterAll(() => world.stop())

test('lists the providers by name to anyone, in the order of the configuration, and nothing else of them', async () => {
  const { body } = await world.callersOf(world.app).asAnonymous().get('/v1/identity/providers').expect(200)
  expect(body).toEqual({
    data: [
      { id: 'acme', name: 'Provider acme' },
      { id: 'zeta', name: 'Zeta' },
    ],
    next_cursor: null,
  })
})
