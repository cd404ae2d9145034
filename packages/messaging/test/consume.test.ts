import { afterEach, expect, test } from '@jest/globals'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { Registry } from 'prom-client'
import { consumerWorld, failure, gate, send } from './consume-world.ts'
import { createCleanup, readableLog, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('acknowledges a message after its work, also while stopping', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const { opened, open } = gate()
  let began = 0
  const consumer = start(async () => {
    began += 1
    await opened
  })
  await send(broker, publisher, 'a')
  await until('the work began', () => began === 1)
  const stopped = consumer.stop()
  open()
  await stopped
  expect(await broker.depth('work')).toBe(0)
})

test('requeues messages in progress if it must stop before their work is done', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  let began = 0
  const consumer = start(
    () => {
      began += 1
      return new Promise(() => {})
    },
    { stopTimeoutMs: 100 },
  )
  await send(broker, publisher, 'a')
  await until('the work began', () => began === 1)
  await consumer.stop()
  await expect(
    until('the message is requeued', async () => (await broker.depth('work')) === 1),
  ).resolves.toBeUndefined()
})

test('processes as many messages at once as its prefetch, and not more', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const { opened, open } = gate()
  let done = 0
  let most = 0
  const consumer = start(
    async () => {
      most = Math.max(most, consumer.inProgress())
      await opened
      done += 1
    },
    { prefetch: 4 },
  )
  await send(broker, publisher, ...Array.from({ length: 12 }, (_, n) => `w${n}`))
  await until('the prefetch is used up', () => consumer.inProgress() === 4)
  open()
  await until('all messages are handled', () => done === 12)
  expect(most).toBe(4)
})

test('accepts no message after stopping, and leaves the rest in the queue', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const { opened, open } = gate()
  const done: string[] = []
  const consumer = start(
    async (word) => {
      await opened
      done.push(word)
    },
    { prefetch: 2 },
  )
  await send(broker, publisher, 'a', 'b', 'c', 'd')
  await until('two messages are in progress', () => consumer.inProgress() === 2)
  const stopped = consumer.stop()
  open()
  await stopped
  expect(done.length + (await broker.depth('work'))).toBe(4)
  expect(done.length).toBeLessThan(4)
})

test('quarantines a message with its reason after a Problem, and does not retry it', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const metrics = new Registry()
  let tries = 0
  start(
    async () => {
      tries += 1
      throw failure
    },
    { metrics },
  )
  await send(broker, publisher, 'a')
  await until('the message is quarantined', async () => (await broker.depth('quarantine')) === 1)
  expect(tries).toBe(1)
  expect(await broker.take('quarantine')).toEqual([
    {
      body: '"a"',
      messageId: 'a',
      headers: expect.objectContaining({
        kind: 'word',
        'x-quarantine-reason': 'problem',
        'x-quarantine-detail': 'no_such_thing: thing 7',
        'x-quarantine-queue': broker.name('work'),
        'x-quarantine-at': expect.stringMatching(/Z$/),
      }),
    },
  ])
  expect(await metrics.metrics()).toMatch(/consumed_messages_seconds_count\{.*outcome="quarantined"\} 1/)
})

test('retries a message while a service that its handler calls cannot be reached', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  let tries = 0
  start(async () => {
    tries += 1
    // More often than the delivery limit of the queue.
    if (tries <= 6) throw new Problem(commonProblems.service_unavailable)
  })
  await send(broker, publisher, 'a')
  await until('the message is handled', () => tries === 7)
  await until('the queue is empty', async () => (await broker.depth('work')) === 0)
  expect(await broker.depth('quarantine')).toBe(0)
})

test('quarantines an unreadable message without calling the handler', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const handled: string[] = []
  start(async (word) => {
    handled.push(word)
  })
  for (const body of ['{', '7', '']) {
    await publisher.publish({
      exchange: '',
      routingKey: broker.name('work'),
      body: Buffer.from(body),
      messageId: 'bad',
    })
  }
  await send(broker, publisher, 'good')
  await until('all three are quarantined', async () => (await broker.depth('quarantine')) === 3)
  await until('the valid message is handled', () => handled.length === 1)
  const reasons = (await broker.take('quarantine')).map(({ headers }) => headers['x-quarantine-reason'])
  expect(reasons).toEqual(['unreadable', 'unreadable', 'unreadable'])
})

test('retries a bug up to the delivery limit of the queue, then the broker quarantines the message', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 3 })
  const counts: number[] = []
  start(() => Promise.reject(new TypeError('x is undefined')), {
    handle: (_word, message) => {
      counts.push(message.deliveryCount)
      return Promise.reject(new TypeError('x is undefined'))
    },
  })
  await send(broker, publisher, 'a')
  await until('the message is quarantined', async () => (await broker.depth('quarantine')) === 1)
  expect(counts).toEqual([0, 1, 2, 3])
  const [message] = await broker.take('quarantine')
  expect(message?.headers['x-death']).toMatchObject([{ reason: 'delivery_limit', queue: broker.name('work') }])
})

test('treats a synchronous error of the handler as a bug', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1 })
  const handled: string[] = []
  start((word) => {
    if (word === 'bad') throw new TypeError('at once')
    handled.push(word)
    return Promise.resolve()
  })
  await send(broker, publisher, 'bad', 'good')
  await until('the failing message is quarantined', async () => (await broker.depth('quarantine')) === 1)
  await expect(until('the valid message is handled', () => handled.length === 1)).resolves.toBeUndefined()
})

test('treats a handler that exceeds its time-out as a bug', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1 })
  start(() => new Promise(() => {}), { handleTimeoutMs: 50 })
  await send(broker, publisher, 'a')
  await expect(
    until('the message is quarantined', async () => (await broker.depth('quarantine')) === 1),
  ).resolves.toBeUndefined()
})

test('a failing message delays no other message', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1_000 })
  const handled: string[] = []
  start(
    async (word) => {
      if (word.startsWith('poison')) throw new Error('always')
      handled.push(word)
    },
    { prefetch: 5 },
  )
  await send(broker, publisher, 'poison1', 'poison2', 'poison3')
  await send(broker, publisher, ...Array.from({ length: 100 }, (_, n) => `w${n}`))
  await expect(until('all others are handled', () => handled.length === 100)).resolves.toBeUndefined()
})

test('retries a message in place during an outage, without using up its deliveries', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 2 })
  const metrics = new Registry()
  const waiting = async (count: number) =>
    new RegExp(`^consumer_waiting_messages\\{.*\\} ${count}$`, 'm').test(await metrics.metrics())
  const { log, lines } = readableLog()
  let away = true
  let tries = 0
  const counts: number[] = []
  start(async () => {}, {
    handle: async (_word, message) => {
      tries += 1
      if (away)
        throw new Error('query failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
      counts.push(message.deliveryCount)
    },
    metrics,
    log,
    retryMinMs: 1,
    retryMaxMs: 1,
  })
  expect(await waiting(0)).toBe(true)
  await send(broker, publisher, 'a')
  await until('the message was retried beyond the delivery limit', () => tries > 61)
  expect(await waiting(1)).toBe(true)
  away = false
  await until('the message is handled', () => counts.length === 1)
  expect(counts).toEqual([0])
  expect(await broker.depth('quarantine')).toBe(0)
  await until('the message does not wait any more', () => waiting(0))
  const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  expect(logged.slice(0, 2).map(({ attempts }) => attempts)).toEqual([1, 61])
  expect(logged.length).toBeLessThan(tries / 30)
})

test('has every outcome with 0 before the first message', async () => {
  const { broker, start } = await consumerWorld(cleanup)
  const metrics = new Registry()
  start(async () => {}, { metrics })
  const text = await metrics.metrics()
  for (const outcome of ['acked', 'quarantined', 'requeued']) {
    expect(text).toContain(`consumed_messages_seconds_count{queue="${broker.name('work')}",outcome="${outcome}"} 0`)
  }
})

test('rejects the connection of a publisher', async () => {
  const { broker, start } = await consumerWorld(cleanup)
  const connection = await broker.open('publish')
  expect(() => start(async () => {}, { connection })).toThrow('with the purpose consume')
})
