import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ zeta: { name: 'Zeta' } })
})
afterAll(() => world.stop())

test('lists the providers by id to anyone, page by page, and nothing else of them', async () => {
  const list = async (query: string) =>
    (await world.createCallers(world.app).asAnonymous().get(`/v1/identity/providers${query}`).expect(200)).body
  const [acme, zeta] = [
    { id: 'acme', name: 'Provider acme' },
    { id: 'zeta', name: 'Zeta' },
  ]
  expect(await list('')).toEqual({ data: [acme, zeta], next_cursor: null })
  const first = await list('?limit=1')
  expect(first.data).toEqual([acme])
  expect(await list(`?limit=1&cursor=${first.next_cursor}`)).toEqual({ data: [zeta], next_cursor: null })
})
