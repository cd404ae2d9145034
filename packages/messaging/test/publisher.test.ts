import { afterEach, expect, test } from '@jest/globals'
import { type Publication, PublishError, Publisher, type PublisherOptions } from '../src/publisher.ts'
import { quorumQueue, type Topology } from '../src/topology.ts'
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

function failureOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'confirmed',
    (error: unknown) => (error instanceof PublishError ? error.failure : `not a PublishError: ${String(error)}`),
  )
}

test('resolves once the broker has the message, with its id and headers', async () => {
  const { broker, publisher } = await world()
  await publisher.publish(message(broker, 1, { headers: { why: 'test' } }))
  expect(await broker.take('work')).toEqual([
    { body: '1', messageId: 'm1', headers: expect.objectContaining({ why: 'test' }) },
  ])
})

test('never has more unconfirmed than its window, and sends the rest as confirms come in', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 50, timeoutMs: 10_000 })
  proxy.pause('broker')
  const all = Array.from({ length: 400 }, (_, n) => publisher.publish(message(broker, n)))
  expect([publisher.inFlight(), publisher.waiting()]).toEqual([50, 350])
  proxy.resume()
  let most = 0
  await Promise.all(all.map((one) => one.then(() => (most = Math.max(most, publisher.inFlight())))))
  expect(most).toBeLessThanOrEqual(50)
  expect(await broker.take('work')).toHaveLength(400)
})

test('bounds the unconfirmed bytes too, yet sends a message larger than the bound', async () => {
  const { broker, proxy, publisher } = await world({ windowBytesMax: 1_000 })
  proxy.pause('broker')
  const body = Buffer.alloc(600)
  const all = [1, 2, 3].map((n) => publisher.publish(message(broker, n, { body })))
  expect(publisher.inFlight()).toBe(1)
  proxy.resume()
  await Promise.all([...all, publisher.publish(message(broker, 4, { body: Buffer.alloc(5_000) }))])
  expect(await broker.take('work')).toHaveLength(4)
})

test('refuses at once when too many wait', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 1, waitingMax: 2 })
  proxy.pause('broker')
  const kept = [1, 2, 3].map((n) => publisher.publish(message(broker, n)))
  expect(await failureOf(publisher.publish(message(broker, 4)))).toBe('overloaded')
  proxy.resume()
  await Promise.all(kept)
})

test('rejects a message that no queue takes, and only that one', async () => {
  const { broker, publisher } = await world()
  const results = await Promise.all([
    failureOf(publisher.publish(message(broker, 1))),
    failureOf(publisher.publish(message(broker, 2, { routingKey: broker.name('nowhere') }))),
    failureOf(publisher.publish(message(broker, 3, { routingKey: broker.name('nowhere'), mandatory: false }))),
    failureOf(publisher.publish(message(broker, 4))),
  ])
  expect(results).toEqual(['confirmed', 'returned', 'confirmed', 'confirmed'])
})

test('rejects what a full queue refuses', async () => {
  const broker = await privateBroker(cleanup, ['small'])
  const connection = await broker.open('publish')
  const topology = [quorumQueue(broker.name('small'), { deliveryLimit: null, lengthMax: 1 })]
  const publisher = new Publisher({ connection, topology, log: silent })
  cleanup.later(() => publisher.close())
  const failures: string[] = []
  // A quorum queue notices its length a little late.
  await until('the queue is full', async () => {
    failures.push(await failureOf(publisher.publish(message(broker, 1, { routingKey: broker.name('small') }))))
    return failures.at(-1) === 'nacked'
  })
  expect(failures[0]).toBe('confirmed')
})

test('rejects what cannot be encoded, and goes on', async () => {
  const { broker, publisher } = await world()
  expect(await failureOf(publisher.publish(message(broker, 1, { routingKey: 'x'.repeat(300) })))).toBe('refused')
  expect(await failureOf(publisher.publish(message(broker, 2)))).toBe('confirmed')
})

test('gives up on a confirm that does not come, takes another channel, and works again', async () => {
  const { broker, proxy, publisher } = await world({ timeoutMs: 300 })
  proxy.pause('broker')
  expect(await failureOf(publisher.publish(message(broker, 1)))).toBe('timeout')
  expect(publisher.ready().ready).toBe(false)
  proxy.resume()
  await until('the publisher is ready again', () => publisher.ready().ready)
  expect(await failureOf(publisher.publish(message(broker, 2)))).toBe('confirmed')
})

test('a lost connection rejects what was sent; what was not sent goes out over the next one', async () => {
  const { broker, proxy, publisher } = await world({ windowMax: 10 })
  proxy.pause('broker')
  const all = Array.from({ length: 30 }, (_, n) => failureOf(publisher.publish(message(broker, n))))
  proxy.cut()
  const results = await Promise.all(all)
  expect(results.slice(0, 10)).toEqual(Array(10).fill('closed'))
  expect(results.slice(10)).toEqual(Array(20).fill('confirmed'))
})

test('a channel that the broker closes is replaced, and a deleted queue is declared again', async () => {
  const { broker, publisher } = await world()
  await broker.channel.deleteQueue(broker.name('work'))
  expect(await failureOf(publisher.publish(message(broker, 1)))).toBe('returned')
  // Publishing to an exchange that does not exist makes the broker close the channel.
  expect(await failureOf(publisher.publish(message(broker, 2, { exchange: broker.name('nowhere') })))).toBe('closed')
  expect(await failureOf(publisher.publish(message(broker, 3)))).toBe('confirmed')
  expect(await broker.take('work')).toHaveLength(1)
})

/** connection.blocked and connection.unblocked, as the broker would send them on channel 0. */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, 0x6c, 0x6f, 0x77, 0xce])
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce])

test('sends nothing while the broker is blocked, and goes on when it is not', async () => {
  const { broker, proxy, connection, publisher } = await world()
  proxy.inject(blockedFrame)
  await until('the connection is blocked', () => connection.blocked())
  expect(publisher.ready()).toEqual({ ready: false, reason: 'the broker asks publishers to wait' })
  const waiting = publisher.publish(message(broker, 1))
  expect([publisher.inFlight(), publisher.waiting()]).toEqual([0, 1])
  proxy.inject(unblockedFrame)
  await waiting
  expect(await broker.take('work')).toHaveLength(1)
})

test('a message that waits out a blocked broker is rejected in time, unsent', async () => {
  const { broker, proxy, connection, publisher } = await world({ timeoutMs: 200 })
  proxy.inject(blockedFrame)
  await until('the connection is blocked', () => connection.blocked())
  expect(await failureOf(publisher.publish(message(broker, 1)))).toBe('timeout')
  proxy.inject(unblockedFrame)
  await publisher.publish(message(broker, 2))
  expect((await broker.take('work')).map(({ body }) => body)).toEqual(['2'])
})

test('closing lets what was begun finish, and takes nothing new', async () => {
  const { broker, publisher } = await world({ windowMax: 5 })
  const begun = Array.from({ length: 50 }, (_, n) => publisher.publish(message(broker, n)))
  const closing = publisher.close()
  expect(await failureOf(publisher.publish(message(broker, 99)))).toBe('closed')
  await Promise.all(begun)
  await closing
  expect(await broker.take('work')).toHaveLength(50)
})

test('does not share the connection of a consumer', async () => {
  const { broker } = await world()
  const connection = await broker.open('consume')
  expect(() => new Publisher({ connection, topology: [], log: silent })).toThrow('nobody consumes on')
})
