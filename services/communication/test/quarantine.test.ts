import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { named } from '@payments/messaging/broker/topology'
import { Quarantine } from '@payments/messaging/quarantine/quarantine'
import { consumeBusinessUnits } from '@payments/service/business-units/consumer'
import { testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import type { Caller } from '@payments/testing/calls/caller'
import { until } from '@payments/testing/services/until'
import { operatorRecords } from '@payments/testing/suites/operator'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

/** The endpoints of the quarantine, which every consuming service has, over HTTP and with a real consumer. */
const queues = '/internal/dead-letter-queues'
const path = `${queues}/communication.quarantine`

let world: World
let broker: TestBroker
let consumer: ReturnType<typeof consumeBusinessUnits>
let operator: Caller

beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  const origins = ['communication.business-units'] as const
  const quarantine = new Quarantine({ broker, name: 'communication.quarantine', origins })
  const copies = { apply: async () => {} }
  const { log, metrics } = world.deps
  const options = { broker, verifyKeys: testEventVerifyKeys, log, metrics: metrics.registry }
  consumer = consumeBusinessUnits({ copies, service: 'communication', ...options })
  await until(async () => consumer.ready().ready)
  operator = world.createCallers(createApp({ ...world.deps, quarantine })).asOperator()
})
afterAll(async () => {
  await consumer.stop()
  const queues = ['communication.business-units', 'communication.quarantine']
  await broker.discard({ queues, exchanges: ['domain-events'] })
  await world.stop()
})
beforeEach(async () => {
  await operator.post(`${path}/discard`, { operator: 'ada', filter: {}, reason: 'a test' })
})

const peek = async () => (await operator.get(`${path}/messages`)).body.data as QueuedDeadLetter[]

/** Publishes a message that the consumer cannot read, and waits for it in the quarantine. */
async function unreadable(): Promise<QueuedDeadLetter> {
  const messageId = randomUUID()
  const routingKey = named(broker.prefix, 'communication.business-units')
  await broker.publisher.publish({ exchange: '', routingKey, body: Buffer.from('not JSON'), messageId })
  await until(async () => (await peek()).some(({ id }) => id === messageId))
  return (await peek()).find(({ id }) => id === messageId) as QueuedDeadLetter
}

test('lists and shows the messages that the consumer could not read', async () => {
  const message = await unreadable()
  expect(message).toMatchObject({ event_type: null, last_error: expect.stringMatching(/^unreadable: /) })
  const response = await operator.get(queues)
  expect(response.body).toEqual({
    data: [{ name: 'communication.quarantine', depth: 1, oldest_at: null }],
    next_cursor: null,
  })
})

test('returns a message to its consumer, which quarantines it again while it is unreadable', async () => {
  const message = await unreadable()
  const body = { operator: 'ada', ids: [message.id] }
  const response = await operator.post(`${path}/redrive`, body)
  expect([response.status, response.body]).toEqual([200, { count: 1 }])
  await until(async () => (await peek()).some(({ id, dead_at: at }) => id === message.id && at !== message.dead_at))
  const records = await operatorRecords(world.rows, response)
  expect(records).toMatchObject([{ actor: { type: 'operator' }, operation: 'redriveQueue', status: 200 }])
})

test('discards the chosen messages', async () => {
  const [first, second] = [await unreadable(), await unreadable()]
  const body = { operator: 'ada', ids: [first.id], reason: 'a test' }
  expect((await operator.post(`${path}/discard`, body)).body).toEqual({ count: 1 })
  expect((await peek()).map(({ id }) => id)).toEqual([second.id])
})

test.each([
  ['/filter/event_type', { filter: { event_type: 'webhooks.test' } }],
  ['/rate_per_second', { filter: {}, rate_per_second: 5 }],
  ['', { ids: ['x'], filter: {} }],
  ['/reason', { ids: ['x'], reason: '' }],
])('rejects a discard with a wrong %s', async (pointer, choice) => {
  const response = await operator.post(`${path}/discard`, { operator: 'ada', reason: 'a test', ...choice })
  expect([response.status, response.body.code]).toEqual([400, 'invalid_request'])
  expect(response.body.errors[0].pointer).toBe(pointer)
})

test('the queue of another service is queue_not_found', async () => {
  const other = `${queues}/payment-proxy.quarantine`
  const body = { operator: 'ada', filter: {} }
  const replies = [
    await operator.get(`${other}/messages`),
    await operator.post(`${other}/redrive`, body),
    await operator.post(`${other}/discard`, { ...body, reason: 'a test' }),
  ]
  for (const { status, body } of replies) expect([status, body.code]).toEqual([404, 'queue_not_found'])
})

test('without the broker, the endpoints are service_unavailable', async () => {
  const response = await world.asOperator.get(queues)
  expect([response.status, response.body.code]).toEqual([503, 'service_unavailable'])
})
