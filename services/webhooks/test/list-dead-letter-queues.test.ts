import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { dlq, type QueueWorld, startQueueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.openEndpoint()
})
afterEach(() => world.clear())

test('lists both queues with their depth and the instant of the oldest dead delivery', async () => {
  const empty = [
    { name: 'webhooks.dead-letters', depth: 0, oldest_at: null },
    { name: 'webhooks.quarantine', depth: 0, oldest_at: null },
  ]
  expect((await world.asOperator.get(dlq)).body).toEqual({ data: empty, next_cursor: null })
  const { delivery } = await world.killOne()
  await world.killOne()
  await world.depthIs('webhooks.dead-letters', 2)
  const row = await world.db.acrossTenants((tx) => tx.delivery.findUniqueOrThrow({ where: { id: delivery.id } }))
  expect(await world.queue('webhooks.dead-letters')).toMatchObject({ oldest_at: row.deadAt?.toISOString() })
  await world.unreadable('not JSON')
  await world.depthIs('webhooks.quarantine', 1)
  expect(await world.queue('webhooks.quarantine')).toMatchObject({ oldest_at: null })
})

test('returns pages ordered by name', async () => {
  const page = await world.asOperator.get(`${dlq}?limit=1`)
  const rest = await world.asOperator.get(`${dlq}?limit=1&cursor=${page.body.next_cursor}`)
  expect([page.body.data[0].name, rest.body.data[0].name]).toEqual(['webhooks.dead-letters', 'webhooks.quarantine'])
  expect(rest.body.next_cursor).toBeNull()
})

test('tenants cannot call the internal endpoints', async () => {
  const reply = await world.asTenant(randomUUID()).get(dlq)
  expect(reply.status).toBe(401)
})
