import { afterEach, expect, test } from '@jest/globals'
import { type Publication, PublishError } from '../src/broker/publication.ts'
import { Publisher, type PublisherOptions } from '../src/broker/publisher.ts'
import { quorumQueue, type Topology } from '../src/broker/topology.ts'
import { brokerProxy, createCleanup, type PrivateBroker, privateBroker, silent, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

async function world(options: Partial<PublisherOptions> = {}) {
  const broker = await privateBroker(cleanup, ['work'])
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('publish', { url: proxy.url })
  const topology: Topology = [quorumQueue(broker.name('work'), { deliveryLimit: null })]
  const publisher = new Publisher({ connection, topology, log: silent, ...options })
  cleanup.later(() => publisher.close())
  await until('the publisher is ready', () => publisher.ready().ready)
  return { broker, proxy, connection, publisher }
}

function message(broker: PrivateBroker, n: number, change: Partial<Publication> = {}): Publication {
  return { exchange: '', routingKey: broker.name('work'), body: Buffer.from(`${n}`), messageId: `m${n}`, ...change }
}

function awaitOutcome(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'confirmed',
    (error: unknown) => (error instanceof PublishError ? error.failure : `not a PublishError: ${String(error)}`),
  )
}

/** A busy machine confirms some attempts later than a short deadline. */
async function untilConfirmed(publisher: Publisher, publication: Publication): Promise<void> {
  await until('a confirm', async () => (await awaitOutcome(publisher.publish(publication))) === 'confirmed')
}

test('resolves after the broker confirmed the message, with its id and headers', async () => {
  const { broker, publisher } = await world()
  await publisher.publish(message(broker, 1, { headers: { why: 'test' } }))
  expect(await broker.take('work')).toEqual([
    { body: '1', messageId: 'm1', headers: expect.objectContaining({ why: 'test' }) },
  ])
})

test('never exceeds its window of unconfirmed messages, and sends the rest as confirms arrive', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 50, timeoutMs: 10_000 })
  proxy.pause('broker')
  const all = Array.from({ length: 400 }, (_, n) => publisher.publish(message(broker, n)))
  expect([publisher.countInFlight(), publisher.waiting()]).toEqual([50, 350])
  proxy.resume()
  let most = 0
  await Promise.all(all.map((one) => one.then(() => (most = Math.max(most, publisher.countInFlight())))))
  expect(most).toBeLessThanOrEqual(50)
  expect(await broker.take('work')).toHaveLength(400)
})

test('limits unconfirmed bytes too, and still sends a message larger than the limit', async () => {
  const { broker, proxy, publisher } = await world({ windowBytesMax: 1_000 })
  proxy.pause('broker')
  const body = Buffer.alloc(600)
  const all = [1, 2, 3].map((n) => publisher.publish(message(broker, n, { body })))
  expect(publisher.countInFlight()).toBe(1)
  proxy.resume()
  await Promise.all([...all, publisher.publish(message(broker, 4, { body: Buffer.alloc(5_000) }))])
  expect(await broker.take('work')).toHaveLength(4)
})

test('rejects at once when too many callers wait', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 1, waitingMax: 2 })
  proxy.pause('broker')
  const accepted = [1, 2, 3].map((n) => publisher.publish(message(broker, n)))
  expect(await awaitOutcome(publisher.publish(message(broker, 4)))).toBe('overloaded')
  proxy.resume()
  await Promise.all(accepted)
})

test('rejects an unroutable message, and no other', async () => {
  const { broker, publisher } = await world()
  const results = await Promise.all([
    awaitOutcome(publisher.publish(message(broker, 1))),
    awaitOutcome(publisher.publish(message(broker, 2, { routingKey: broker.name('nowhere') }))),
    awaitOutcome(publisher.publish(message(broker, 3))),
  ])
  expect(results).toEqual(['confirmed', 'returned', 'confirmed'])
})

test('rejects a message that a full queue rejects', async () => {
  const broker = await privateBroker(cleanup, ['small'])
  const connection = await broker.open('publish')
  const topology = [quorumQueue(broker.name('small'), { deliveryLimit: null, lengthMax: 1 })]
  const publisher = new Publisher({ connection, topology, log: silent })
  cleanup.later(() => publisher.close())
  const failures: string[] = []
  // A quorum queue applies its length limit with a short delay.
  await until('the queue is full', async () => {
    failures.push(await awaitOutcome(publisher.publish(message(broker, 1, { routingKey: broker.name('small') }))))
    return failures.at(-1) === 'nacked'
  })
  expect(failures[0]).toBe('confirmed')
})

test('rejects a message that cannot be encoded, and continues', async () => {
  const { broker, publisher } = await world()
  expect(await awaitOutcome(publisher.publish(message(broker, 1, { routingKey: 'x'.repeat(300) })))).toBe('invalid')
  expect(await awaitOutcome(publisher.publish(message(broker, 2)))).toBe('confirmed')
})

test('rejects a message without a confirm in time, and continues on another channel', async () => {
  const { broker, proxy, publisher } = await world({ timeoutMs: 300 })
  proxy.pause('broker')
  expect(await awaitOutcome(publisher.publish(message(broker, 1)))).toBe('timeout')
  expect(publisher.ready().ready).toBe(false)
  proxy.resume()
  await until('the publisher is ready again', () => publisher.ready().ready)
  await untilConfirmed(publisher, message(broker, 2))
})

test('rejects sent messages of a lost connection, and sends the others over the next connection', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 10 })
  proxy.pause('broker')
  const all = Array.from({ length: 30 }, (_, n) => awaitOutcome(publisher.publish(message(broker, n))))
  proxy.cut()
  const results = await Promise.all(all)
  expect(results.slice(0, 10)).toEqual(Array(10).fill('closed'))
  expect(results.slice(10)).toEqual(Array(20).fill('confirmed'))
})

test('replaces a channel that the broker closed, and declares a deleted queue again', async () => {
  const { broker, publisher } = await world()
  await broker.channel.deleteQueue(broker.name('work'))
  expect(await awaitOutcome(publisher.publish(message(broker, 1)))).toBe('returned')
  // The broker closes a channel that publishes to a missing exchange.
  expect(await awaitOutcome(publisher.publish(message(broker, 2, { exchange: broker.name('nowhere') })))).toBe('closed')
  expect(await awaitOutcome(publisher.publish(message(broker, 3)))).toBe('confirmed')
  expect(await broker.take('work')).toHaveLength(1)
})

/** The frames connection.blocked and connection.unblocked, which the broker sends on channel 0. */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, 0x6c, 0x6f, 0x77, 0xce])
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce])

test('sends nothing while the broker blocks, and continues afterwards', async () => {
  const { broker, proxy, connection, publisher } = await world()
  proxy.inject(blockedFrame)
  await until('the connection is blocked', () => connection.isBlocked())
  expect(publisher.ready()).toEqual({ ready: false, reason: 'the broker blocks publishers' })
  const waiting = publisher.publish(message(broker, 1))
  expect([publisher.countInFlight(), publisher.waiting()]).toEqual([0, 1])
  proxy.inject(unblockedFrame)
  await waiting
  expect(await broker.take('work')).toHaveLength(1)
})

test('rejects an unsent message at its deadline while the broker blocks', async () => {
  const { broker, proxy, connection, publisher } = await world({ timeoutMs: 200 })
  proxy.inject(blockedFrame)
  await until('the connection is blocked', () => connection.isBlocked())
  expect(await awaitOutcome(publisher.publish(message(broker, 1)))).toBe('timeout')
  proxy.inject(unblockedFrame)
  await untilConfirmed(publisher, message(broker, 2))
  expect(new Set((await broker.take('work')).map(({ body }) => body))).toEqual(new Set(['2']))
})

test('waits for accepted messages on close, and accepts no new one', async () => {
  const { broker, publisher } = await world({ windowMax: 5 })
  const accepted = Array.from({ length: 50 }, (_, n) => publisher.publish(message(broker, n)))
  const closing = publisher.close()
  expect(await awaitOutcome(publisher.publish(message(broker, 99)))).toBe('closed')
  await Promise.all(accepted)
  await closing
  expect(await broker.take('work')).toHaveLength(50)
})

test('rejects the connection of a consumer', async () => {
  const { broker } = await world()
  const connection = await broker.open('consume')
  expect(() => new Publisher({ connection, topology: [], log: silent })).toThrow('with the purpose publish')
})
