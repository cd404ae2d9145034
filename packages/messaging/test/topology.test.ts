import { afterEach, expect, test } from '@jest/globals'
import { Publisher } from '../src/broker/publisher.ts'
import {
  binding,
  delayQueue,
  named,
  quorumQueue,
  reachedThrough,
  type Topology,
  topicExchange,
} from '../src/broker/topology.ts'
import { createCleanup, privateBroker, silent, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('a delay queue moves each message to its target after its delay, the shorter delay first', async () => {
  const broker = await privateBroker(cleanup, ['work', 'short', 'long'], ['own'])
  const exchange = broker.name('own')
  const work = broker.name('work')
  const topology: Topology = [
    ...reachedThrough(exchange, [
      quorumQueue(work, { deliveryLimit: null }),
      delayQueue(broker.name('short'), 200, { exchange, queue: work }),
      delayQueue(broker.name('long'), 1_000, { exchange, queue: work }),
    ]),
  ]
  const publisher = new Publisher({ connection: await broker.open('publish'), topology, log: silent })
  cleanup.later(() => publisher.close())
  const arrivals: { id: string; atMs: number }[] = []
  await broker.declare(topology)
  await broker.channel.consume(
    work,
    (message) => arrivals.push({ id: String(message?.properties.messageId), atMs: Date.now() }),
    { noAck: true },
  )
  const sentAt = Date.now()
  for (const name of ['long', 'short']) {
    await publisher.publish({ exchange, routingKey: broker.name(name), body: Buffer.from('x'), messageId: name })
  }
  await until('both messages arrived', () => arrivals.length === 2)
  expect(arrivals.map(({ id }) => id)).toEqual(['short', 'long'])
  expect((arrivals[0]?.atMs ?? 0) - sentAt).toBeGreaterThanOrEqual(195)
  expect((arrivals[1]?.atMs ?? 0) - sentAt).toBeGreaterThanOrEqual(995)
})

test('without a delivery limit, a message may be requeued more often than the default limit of the broker', async () => {
  const broker = await privateBroker(cleanup, ['dead'])
  await broker.declare([quorumQueue(broker.name('dead'), { deliveryLimit: null })])
  broker.channel.sendToQueue(broker.name('dead'), Buffer.from('x'), { persistent: true })
  for (let peeks = 0; peeks < 30; peeks += 1) {
    await until('the message is available', async () => {
      const message = await broker.channel.get(broker.name('dead'))
      if (message === false) return false
      broker.channel.nack(message, false, true)
      return true
    })
  }
  await expect(
    until('the message is still in the queue', async () => (await broker.take('dead')).length === 1),
  ).resolves.toBeUndefined()
})

test('declaring twice changes nothing', async () => {
  const broker = await privateBroker(cleanup, ['work', 'dead'], ['facts'])
  const topology: Topology = [
    topicExchange(broker.name('facts')),
    quorumQueue(broker.name('dead'), { deliveryLimit: null }),
    quorumQueue(broker.name('work'), {
      deliveryLimit: 5,
      deadLetterTo: { exchange: broker.name('own'), queue: broker.name('dead') },
    }),
    binding(broker.name('work'), broker.name('facts'), 'shop.#'),
  ]
  await broker.declare(topology)
  await broker.declare(topology)
  expect(await broker.depth('work')).toBe(0)
})

test('rejects a delivery limit without a dead-letter queue, and an invalid delay', () => {
  expect(() => quorumQueue('q', { deliveryLimit: 5 })).toThrow('loses messages')
  for (const delayMs of [-1, 0.5, Number.NaN, 25 * 60 * 60 * 1000]) {
    expect(() => delayQueue('q', delayMs, { exchange: 'e', queue: 'target' })).toThrow('the delay must be an integer')
  }
})

test('names begin with the prefix, if there is one', () => {
  expect(named('dev', 'domain-events')).toBe('dev.domain-events')
  expect(named('', 'domain-events')).toBe('domain-events')
})
