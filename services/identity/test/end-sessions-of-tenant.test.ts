import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('operators end the sessions of one user or of a tenant, and of no other', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const [one, two] = [await tenant.member(), await tenant.member()]
  await world.join(other.id, one.id, [])
  const sessions = [await one.signIn(), await one.signIn(), await two.signIn(), await world.signIn(other.id, one)]
  const alive = () => Promise.all(sessions.map(async ({ value }) => (await world.identify(value)) !== null))
  expect((await world.asOperator.endAllSessions(tenant.id, `?user_id=${one.id}`)).body).toEqual({ ended: 2 })
  expect(await alive()).toEqual([false, false, true, true])
  expect((await world.asOperator.endAllSessions(tenant.id)).body).toEqual({ ended: 1 })
  expect(await alive()).toEqual([false, false, false, true])
  const ended = (await tenant.events()).filter(({ type }) => type === 'identity.sessions.end')
  expect(ended).toHaveLength(3)
})
