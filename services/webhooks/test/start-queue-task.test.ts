import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { signedMessage } from '@payments/testing/broker/signed-events'
import type { Receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dlq, path, type QueueWorld, quarantine, startQueueWorld } from './queue-world.ts'
import { settled, someEvent, subscribe } from './world.ts'

let world: QueueWorld
let endpoint: Receiver
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await world.openEndpoint()
})
afterEach(() => world.clear())

test('lists, peeks and redrives a dead delivery until it is delivered', async () => {
  const { subscribed, event, delivery } = await world.killOne()
  await world.depthIs('webhooks.dead-letters', 1)
  expect((await world.queue('webhooks.dead-letters')).oldest_at).not.toBeNull()

  const peeked = await world.asOperator.get(`${path}/messages`)
  expect(peeked.body.data).toEqual([
    {
      id: delivery.id,
      tenant_id: subscribed.tenantId,
      business_unit_id: subscribed.unitId,
      event_type: event.type,
      tenant_event_id: event.id,
      destination_url: endpoint.url,
      attempts: 2,
      last_error: 'status: responded with 500',
      dead_at: expect.any(String),
    },
  ])
  expect((await world.queue('webhooks.dead-letters')).depth).toBe(1)

  endpoint.respondWith(() => ({ status: 200 }))
  expect(await world.changed('redrive', path, { ids: [delivery.id.toUpperCase()] })).toBe(1)
  const delivered = await settled(subscribed, 'delivered')
  expect(delivered.attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3])
  expect(endpoint.received.map((one) => one.headers['webhook-id'])).toEqual([event.id, event.id, event.id])
  await world.depthIs('webhooks.dead-letters', 0)
  await world.expectQueueMatchesRows()
})

test('a redrive restarts the schedule: the delivery is dead again after the same number of attempts', async () => {
  const { subscribed, delivery } = await world.killOne()
  expect(await world.changed('redrive', path, { filter: {} })).toBe(1)
  await until(async () => (await subscribed.delivery(delivery.id)).attempts.length === 4)
  await settled(subscribed, 'dead')
  await world.depthIs('webhooks.dead-letters', 1)
  await world.expectQueueMatchesRows()
})

test.each([[{}], [{ filter: {}, ids: [randomUUID()] }], [{ ids: [] }], [{ ids: ['x'] }], [{ filter: { x: 1 } }]])(
  'rejects a redrive of %j',
  async (body) => {
    const { delivery } = await world.killOne()
    const reply = await world.asOperator.post(`${path}/redrive`, { operator: 'operator-1', ...body })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    const peeked = await world.asOperator.get(`${path}/messages`)
    expect(peeked.body.data.map((letter: { id: string }) => letter.id)).toContain(delivery.id)
  },
)

test('redrives a message to its original queue, and discards messages', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  const signed = signedMessage(event)
  await world.broker.publisher.publish({
    exchange: '',
    ...signed,
    routingKey: world.names.quarantine,
    headers: { ...signed.headers, 'x-quarantine-queue': world.names.events },
  })
  await world.unreadable('not JSON')
  await world.depthIs('webhooks.quarantine', 2)
  expect(await world.changed('redrive', quarantine, { ids: [event.id], dry_run: true })).toBe(1)
  await world.depthIs('webhooks.quarantine', 2)
  expect(await world.changed('redrive', quarantine, { ids: [event.id] })).toBe(1)
  await settled(subscribed, 'dead')
  expect(await world.changed('discard', quarantine, { filter: {} })).toBe(1)
  await world.depthIs('webhooks.quarantine', 0)
})

const reason = { redrive: {}, discard: { reason: 'a test' } }

test.each([
  ['redrive', '/filter', { filter: { event_type: 'webhooks.test' } }],
  ['redrive', '/rate_per_second', { filter: {}, rate_per_second: 5 }],
  ['discard', '/filter', { filter: { event_type: 'webhooks.test' } }],
  ['discard', '/rate_per_second', { filter: {}, rate_per_second: 5 }],
] as const)('rejects a %s with %s, which only dead letters support', async (kind, pointer, choice) => {
  await world.unreadable('not JSON either')
  await world.depthIs('webhooks.quarantine', 1)
  const body = { operator: 'operator-1', ...reason[kind], ...choice }
  const reply = await world.asOperator.post(`${quarantine}/${kind}`, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  await world.depthIs('webhooks.quarantine', 1)
})

test.each(['redrive', 'discard'] as const)(
  'rejects a %s beyond twenty running tasks, and changes no delivery',
  async (kind) => {
    const { subscribed } = await world.killOne()
    const nextBatchAt = new Date(Date.now() + 3_600_000)
    const task = { kind: 'discard' as const, selection: { ids: [] }, total: 1, createdBy: 'a test', nextBatchAt }
    const data = Array.from({ length: 20 }, () => ({ ...task, id: randomUUID() }))
    await world.db.acrossTenants((tx) => tx.task.createMany({ data }))
    const body = { operator: 'operator-1', ...reason[kind], filter: {} }
    const reply = await world.asOperator.post(`${path}/${kind}`, body)
    expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
    await settled(subscribed, 'dead')
    await world.db.acrossTenants((tx) => tx.task.deleteMany({ where: { id: { in: data.map(({ id }) => id) } } }))
  },
)

test.each(['redrive', 'discard'] as const)('POST /%s of an unknown queue returns queue_not_found', async (kind) => {
  const body = { operator: 'operator-1', ...reason[kind], filter: {} }
  const reply = await world.asOperator.post(`${dlq}/webhooks.deliveries/${kind}`, body)
  expect([reply.status, reply.body.code]).toEqual([404, 'queue_not_found'])
})

test('discards the selected dead letters and no others', async () => {
  const [discarded, other] = [await world.killOne(), await world.killOne()]
  await world.depthIs('webhooks.dead-letters', 2)
  expect(await world.changed('discard', path, { ids: [discarded.delivery.id, randomUUID()] })).toBe(1)
  await settled(discarded.subscribed, 'discarded')
  await world.depthIs('webhooks.dead-letters', 1)
  await world.expectQueueMatchesRows()
  await settled(other.subscribed, 'dead')
})

test('a discard only counts in a dry run', async () => {
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
])('rejects a discard without a valid %s, and discards nothing', async (pointer, body) => {
  const { subscribed } = await world.killOne()
  const reply = await world.asOperator.post(`${path}/discard`, { operator: 'operator-1', ...body })
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  await settled(subscribed, 'dead')
})
