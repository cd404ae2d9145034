import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { dlq, path, type QueueWorld, quarantine, startQueueWorld } from './queue-world.ts'
import { settled } from './world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.openEndpoint()
})
afterEach(() => world.clear())

test('discards the selected dead letters and no others', async () => {
  const [discarded, other] = [await world.killOne(), await world.killOne()]
  await world.depthIs('webhooks.dead-letters', 2)
  expect(await world.changed('discard', path, { ids: [discarded.delivery.id, randomUUID()] })).toBe(1)
  await settled(discarded.subscribed, 'discarded')
  await world.depthIs('webhooks.dead-letters', 1)
  await world.expectQueueMatchesRows()
  await settled(other.subscribed, 'dead')
})

test('only counts in a dry run', async () => {
  const { subscribed } = await world.killOne()
  await world.depthIs('webhooks.dead-letters', 1)
  expect(await world.changed('discard', path, { filter: {}, dry_run: true })).toBe(1)
  await world.unreadable('not JSON')
  await world.depthIs('webhooks.quarantine', 1)
  expect(await world.changed('discard', quarantine, { filter: {}, dry_run: true })).toBe(1)
  expect((await world.queue('webhooks.quarantine')).depth).toBe(1)
  await settled(subscribed, 'dead')
})

test('removes the selected quarantined messages and no others', async () => {
  for (const content of ['one', 'two']) await world.unreadable(content)
  await world.depthIs('webhooks.quarantine', 2)
  const listed = await world.asOperator.get(`${quarantine}/messages`)
  const [one, two] = listed.body.data
  expect(await world.changed('discard', quarantine, { ids: [one.id, randomUUID()] })).toBe(1)
  expect((await world.asOperator.get(`${quarantine}/messages`)).body.data).toEqual([two])
})

test.each([
  ['/reason', { filter: {} }],
  ['', { reason: 'a test' }],
  ['/ids/0', { reason: 'a test', ids: ['x'] }],
])('rejects a request without a valid %s, and discards nothing', async (pointer, body) => {
  const { subscribed } = await world.killOne()
  const reply = await world.asOperator.post(`${path}/discard`, { operator: 'operator-1', ...body })
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  await settled(subscribed, 'dead')
})

test.each([
  ['/filter', { filter: { event_type: 'webhooks.test' } }],
  ['/rate_per_second', { filter: {}, rate_per_second: 5 }],
])('rejects %s, which only dead letters support', async (pointer, choice) => {
  await world.unreadable('not JSON')
  await world.depthIs('webhooks.quarantine', 1)
  const body = { operator: 'operator-1', reason: 'a test', ...choice }
  const reply = await world.asOperator.post(`${quarantine}/discard`, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  expect((await world.queue('webhooks.quarantine')).depth).toBe(1)
})

test('rejects a task beyond twenty running ones, and changes no delivery', async () => {
  const { subscribed } = await world.killOne()
  const nextBatchAt = new Date(Date.now() + 3_600_000)
  const task = { kind: 'discard' as const, selection: { ids: [] }, total: 1, createdBy: 'a test', nextBatchAt }
  const data = Array.from({ length: 20 }, () => ({ ...task, id: randomUUID() }))
  await world.db.acrossTenants((tx) => tx.task.createMany({ data }))
  const reply = await world.asOperator.post(`${path}/discard`, { operator: 'operator-1', reason: 'a test', filter: {} })
  expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
  await settled(subscribed, 'dead')
  await world.db.acrossTenants((tx) => tx.task.deleteMany({ where: { id: { in: data.map(({ id }) => id) } } }))
})

test('POST /discard of an unknown queue returns queue_not_found', async () => {
  const reply = await world.asOperator.post(`${dlq}/webhooks.deliveries/discard`, {
    operator: 'operator-1',
    reason: 'a test',
    filter: {},
  })
  expect([reply.status, reply.body.code]).toEqual([404, 'queue_not_found'])
})
