import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, kill, letters } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

test('shows operators a dead letter of any tenant as its tenant sees it, with the payload', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  const [{ id } = { id: '' }] = await dead(subscribed)
  const { missing_permission: _, ...letter } = (await subscribed.tenant.get(`${letters}/${id}`)).body
  const { status, body } = await world.asOperator.get(`/internal/dead-letters/${id}`)
  expect([status, body]).toEqual([200, { ...letter, tenant_id: subscribed.tenantId }])
  expect(body.request.body).toContain('1999')
})

test('returns dead_letter_not_found for a missing one', async () => {
  const { status, body } = await world.asOperator.get(`/internal/dead-letters/${randomUUID()}`)
  expect([status, body.code]).toEqual([404, 'dead_letter_not_found'])
})
