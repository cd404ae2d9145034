import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('operators see the sessions of a tenant, or of one of its users', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const [one, two] = [await tenant.member(), await tenant.member()]
  await world.join(other.id, one.id, [])
  await world.signIn(other.id, one)
  const [first, second] = [await one.signIn(), await two.signIn()]
  expect((await world.asOperator.listSessionsIn(tenant.id)).body.data).toMatchObject([
    { id: second.id, user_id: two.id, current: false },
    { id: first.id, user_id: one.id, current: false },
  ])
  expect((await world.asOperator.listSessionsIn(tenant.id, `?user_id=${one.id}`)).body.data).toMatchObject([
    { id: first.id },
  ])
  expect((await world.asOperator.listSessionsIn(tenant.id, `?user_id=${randomUUID()}`)).body.data).toEqual([])
})
