import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { openConnection } from '@payments/messaging/broker/connection'
import {
  binding,
  declareTopology,
  domainEvents,
  markerQueueName,
  named,
  quorumQueue,
  topicExchange,
} from '@payments/messaging/broker/topology'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { privateBroker } from '@payments/testing/broker/broker'
import { testEventSignKeys } from '@payments/testing/broker/signed-events'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

test('an event reaches the exchange after the commit, in the form of the contract', async () => {
  const { log, metrics } = world.deps
  const broker = await privateBroker()
  const [exchange, queue] = [domainEvents(broker.prefix), named(broker.prefix, 'seen')]
  closers.push(() => broker.discard({ queues: [queue, markerQueueName(broker.prefix, 'test')], exchanges: [exchange] }))
  const outbox = await openOutbox({
    db: world.db,
    broker,
    name: 'test',
    signKeys: testEventSignKeys,
    log,
    metrics: metrics.registry,
  })
  closers.push(() => outbox.close())
  const connection = await openConnection({ url: broker.url, purpose: 'consume', name: 'test', log })
  closers.push(() => connection.close())
  await new Promise<void>((resolve) => connection.watch({ up: resolve }))
  const channel = await connection.openChannel()
  await declareTopology(channel, [
    topicExchange(exchange),
    quorumQueue(queue, { deliveryLimit: null }),
    binding(queue, exchange, 'rbac.roles.*'),
  ])
  const arrived = new Promise<string>((resolve) => {
    void channel.consume(queue, (message) => resolve(message?.content.toString('utf8') ?? ''), { noAck: true })
  })
  const tenant = await world.tenant()
  const { body: created } = await tenant.by().create({ name: 'till' })
  expect(JSON.parse(await arrived)).toMatchObject({
    type: 'rbac.roles.create',
    tenant_id: tenant.id,
    business_unit_id: null,
    payload: { id: created.id, name: 'till' },
  })
  expect(await outbox.check()).toBeNull()
})
