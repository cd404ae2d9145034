import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('operators remove any user, also the last administrator', async () => {
  const tenant = await world.tenant()
  const user = await tenant.member([tenant.adminRole])
  const session = await user.signIn()
  expect((await world.asOperator.removeUserFrom(tenant.id, user.id)).status).toBe(204)
  expect(await world.identify(session.value)).toBeNull()
  expect((await tenant.events()).at(-1)?.type).toBe('identity.users.delete')
  expect(outcome(await world.asOperator.removeUserFrom(tenant.id, user.id))).toEqual([404, 'user_not_found'])
})
