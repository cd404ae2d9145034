import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { type BrokerConnection, openConnection } from '@payments/messaging/broker/connection'
import {
  binding,
  declareTopology,
  domainEvents,
  markerQueueName,
  named,
  quorumQueue,
} from '@payments/messaging/broker/topology'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker/broker'
import { testEventSignKeys } from '@payments/testing/broker/signed-events'
import { invited } from './invitations.ts'
import { until } from './until.ts'
import { startWorld, type World } from './world.ts'

const consumers = ['webhooks', 'invite-to-pay'] as const

let world: World
let broker: PrivateBroker
let connection: BrokerConnection
let channel: Awaited<ReturnType<BrokerConnection['openChannel']>>
let outbox: Awaited<ReturnType<typeof openOutbox>>
const queueOf = (consumer: string) => named(broker.prefix, `${consumer}.taken`)

beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), privateBroker()])
  const { db, log, metrics } = world.deps
  connection = await openConnection({ url: broker.url, name: 'payment-proxy-test', log, purpose: 'consume' })
  await until(async () => connection.ready().ready)
  channel = await connection.openChannel()
  for (const consumer of consumers) {
    const queue = queueOf(consumer)
    const bindings = eventPatterns[consumer].map((pattern) => binding(queue, domainEvents(broker.prefix), pattern))
    await declareTopology(channel, [quorumQueue(queue, { deliveryLimit: null }), ...bindings])
  }
  const publishing = { broker, log, metrics: metrics.registry }
  outbox = await openOutbox({ db, name: 'payment-proxy', signKeys: testEventSignKeys, ...publishing })
})
afterAll(async () => {
  await outbox.close()
  await connection.close()
  const marker = markerQueueName(broker.prefix, 'payment-proxy')
  await broker.discard({
    queues: [...consumers.map(queueOf), marker],
    exchanges: [domainEvents(broker.prefix), marker],
  })
  await world.stop()
})

/** The ids of the transactions whose events are in the queue, in the order of the ids. */
async function transactionsOf(consumer: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const message = await channel.get(queueOf(consumer), { noAck: true })
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
  const depth = async () => (await channel.checkQueue(queueOf('webhooks'))).messageCount
  await until(async () => (await depth()) === all.length)
  expect(await transactionsOf('webhooks')).toEqual([plain, plain, withInvitation].sort())
  expect(await transactionsOf('invite-to-pay')).toEqual([withInvitation])
})
