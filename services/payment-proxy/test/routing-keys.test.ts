import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { domainEventsName, markerName } from '@payments/contracts/edges/broker-names'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { binding, declareTopology, domainEvents, named, quorumQueue } from '@payments/messaging/broker/topology'
import { startOutbox } from '@payments/messaging/outbox/start-outbox'
import { testEventSignKeys } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { until } from '@payments/testing/services/until'
import { invited } from './invitations.ts'
import { startWorld, type World } from './world.ts'

const consumers = ['webhooks', 'invite-to-pay'] as const

let world: World
let broker: TestBroker
let channel: Awaited<ReturnType<TestBroker['consuming']['openChannel']>>
let outbox: ReturnType<typeof startOutbox>
const queueName = (consumer: string) => named(broker.prefix, `${consumer}.taken`)

beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  const { db, log, metrics } = world.deps
  await until(async () => broker.consuming.ready().ready)
  channel = await broker.consuming.openChannel()
  for (const consumer of consumers) {
    const queue = queueName(consumer)
    const bindings = eventPatterns[consumer].map((pattern) => binding(queue, domainEvents(broker.prefix), pattern))
    await declareTopology(channel, [quorumQueue(queue, { deliveryLimit: null }), ...bindings])
  }
  const producer = { name: 'payment-proxy', keys: testEventSignKeys }
  outbox = startOutbox({ db, broker, producer, log, metrics: metrics.registry })
})
afterAll(async () => {
  await outbox.stop()
  const marker = markerName('payment-proxy')
  await broker.discard({
    queues: [...consumers.map((consumer) => `${consumer}.taken`), marker],
    exchanges: [domainEventsName, marker],
  })
  await world.stop()
})

/** The ids of the transactions whose events are in the queue, in the order of the ids. */
async function takeTransactions(consumer: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const message = await channel.get(queueName(consumer), { noAck: true })
    if (message === false) return ids.sort()
    ids.push(JSON.parse(message.content.toString()).payload.transaction.id)
  }
}

test('events of a transaction without an invitation reach webhooks, and not the queue of invite-to-pay', async () => {
  const tenant = world.tenant()
  const plain = (await tenant.authorize('visa', { capture: true })).body.id as string
  const withInvitation = (await tenant.create(invited)).body.id as string
  const all = await tenant.events()
  expect(all.map(({ type }) => type).sort()).toEqual([
    'payment-proxy.transactions.authorize.and.capture',
    'payment-proxy.transactions.create',
    'payment-proxy.transactions.create',
  ])
  const depth = async () => (await channel.checkQueue(queueName('webhooks'))).messageCount
  await until(async () => (await depth()) === all.length)
  expect(await takeTransactions('webhooks')).toEqual([plain, plain, withInvitation].sort())
  expect(await takeTransactions('invite-to-pay')).toEqual([withInvitation])
})
