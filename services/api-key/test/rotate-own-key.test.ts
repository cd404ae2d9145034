import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A key that may rotate itself. */
const ownCaller = async () => {
  const tenant = await world.tenant()
  const own: Permission[] = ['apikey:RotateKey']
  const { body: created } = await tenant.by().create()
  await tenant.by().assign(created.id, [await tenant.role(own)])
  return { tenant, created, itself: tenant.as({ type: 'api_key', id: created.id }, own) }
}

test.each([[undefined], [60]])(
  'a key that rotates itself (grace %s) and loses the response reads its new value with the previous one',
  async (grace) => {
    const { created, itself } = await ownCaller()
    const once = randomUUID()
    const lost = await itself.rotate(created.id, grace, once)
    expect(await world.asService.identifyValue(created.value)).toMatchObject({ value: 'previous', enabled: true })
    const again = await itself.rotate(created.id, grace, once)
    expect([again.status, again.body.value]).toEqual([200, lost.body.value])
    expect(await world.asService.identifyValue(again.body.value)).toMatchObject({ api_key_id: created.id })
  },
)

test.each([0, 59])('a key cannot rotate itself with a grace period of %i s: 422, nothing changed', async (grace) => {
  const { tenant, created, itself } = await ownCaller()
  const events = await tenant.events()
  const reply = await itself.rotate(created.id, grace)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([
    422,
    'grace_period_too_short',
    '/grace_period_seconds',
  ])
  expect(await world.asService.identifyValue(created.value)).toMatchObject({ value: 'current' })
  expect(await tenant.events()).toEqual(events)
  const user = await tenant.by().rotate(created.id, grace)
  expect(user.status).toBe(200)
})

test('a key ends its leaked value at once by rotating itself twice', async () => {
  const { created, itself } = await ownCaller()
  await itself.rotate(created.id, undefined)
  await itself.rotate(created.id, undefined)
  expect(await world.asService.identifyValue(created.value)).toBeNull()
})
