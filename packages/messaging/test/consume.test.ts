import { afterEach, expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { consumerWorld, gate, refusal, send } from './consume-world.ts'
import { createCleanup, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('a message whose work is done is acknowledged, also while stopping', async () => {
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

test('gives back what was in work when it has to stop before the work is done', async () => {
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
  await until('the message is back', async () => (await broker.depth('work')) === 1)
})

test('works on as many at once as its prefetch, and not more', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const { opened, open } = gate()
  let done = 0
  let most = 0
  const consumer = start(
    async () => {
      most = Math.max(most, consumer.inWork())
      await opened
      done += 1
    },
    { prefetch: 4 },
  )
  await send(broker, publisher, ...Array.from({ length: 12 }, (_, n) => `w${n}`))
  await until('its places are taken', () => consumer.inWork() === 4)
  open()
  await until('all is done', () => done === 12)
  expect(most).toBe(4)
})

test('after stopping takes nothing more, and leaves the rest in the queue', async () => {
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
  await until('two are in work', () => consumer.inWork() === 2)
  const stopped = consumer.stop()
  open()
  await stopped
  expect(done.length + (await broker.depth('work'))).toBe(4)
  expect(done.length).toBeLessThan(4)
})

test('a Problem is final: the message goes to quarantine, saying why, and is not tried again', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const metrics = new Registry()
  let tries = 0
  start(
    async () => {
      tries += 1
      throw refusal
    },
    { metrics },
  )
  await send(broker, publisher, 'a')
  await until('it is quarantined', async () => (await broker.depth('quarantine')) === 1)
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

test('a message that cannot be read goes to quarantine without reaching the handler', async () => {
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
  await until('the good one is handled', () => handled.length === 1)
  const reasons = (await broker.take('quarantine')).map(({ headers }) => headers['x-quarantine-reason'])
  expect(reasons).toEqual(['unreadable', 'unreadable', 'unreadable'])
})

test('a bug is tried again up to the limit of the queue, then the broker quarantines the message', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 3 })
  const counts: number[] = []
  start(() => Promise.reject(new TypeError('x is undefined')), {
    handle: (_word, message) => {
      counts.push(message.deliveryCount)
      return Promise.reject(new TypeError('x is undefined'))
    },
  })
  await send(broker, publisher, 'a')
  await until('it is quarantined', async () => (await broker.depth('quarantine')) === 1)
  expect(counts).toEqual([0, 1, 2, 3])
  const [message] = await broker.take('quarantine')
  expect(message?.headers['x-death']).toMatchObject([{ reason: 'delivery_limit', queue: broker.name('work') }])
})

test('a handler that throws at once, before any promise, is a bug like any other', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1 })
  const handled: string[] = []
  start((word) => {
    if (word === 'bad') throw new TypeError('at once')
    handled.push(word)
    return Promise.resolve()
  })
  await send(broker, publisher, 'bad', 'good')
  await until('the bad one is quarantined', async () => (await broker.depth('quarantine')) === 1)
  await until('the good one is handled', () => handled.length === 1)
})

test('a handler that hangs counts as a bug after its time', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1 })
  start(() => new Promise(() => {}), { handleTimeoutMs: 50 })
  await send(broker, publisher, 'a')
  await until('it is quarantined', async () => (await broker.depth('quarantine')) === 1)
})

test('poison holds up no other message', async () => {
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
  await until('all others are handled', () => handled.length === 100)
})

test('while a dependency is away a message waits in place, and uses up none of its deliveries', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 2 })
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
  })
  await send(broker, publisher, 'a')
  await until('it was tried more often than the queue would allow', () => tries > 6)
  away = false
  await until('it is handled', () => counts.length === 1)
  expect(counts).toEqual([0])
  expect(await broker.depth('quarantine')).toBe(0)
})

test('does not share the connection of a publisher', async () => {
  const { broker, start } = await consumerWorld(cleanup)
  const connection = await broker.open('publish')
  expect(() => start(async () => {}, { connection })).toThrow('nobody publishes on')
})
