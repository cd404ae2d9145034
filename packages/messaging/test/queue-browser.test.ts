import { afterEach, expect, test } from '@jest/globals'
import type { BrokerConnection } from '../src/broker/connection.ts'
import { ownExchange, quorumQueue, reachedThrough } from '../src/broker/topology.ts'
import { QueueBrowser } from '../src/quarantine/queue-browser.ts'
import { brokerProxy, type Cleanup, createCleanup, type PrivateBroker, privateBroker, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

type Connection = Pick<BrokerConnection, 'openChannel'>

const unresponsive = (queue: string) => ({
  code: 'service_unavailable',
  options: { detail: `The broker does not respond about ${queue}` },
})

interface Quarantine {
  readonly broker: PrivateBroker
  readonly queue: string
  /** Of a browser of at most ten messages. */
  readonly browser: (connection: Connection) => QueueBrowser
}

async function quarantine(own: Cleanup, bodies: readonly string[]): Promise<Quarantine> {
  const broker = await privateBroker(own, ['audit.quarantine'], ['audit.queues'])
  const queue = broker.name('audit.quarantine')
  const topology = reachedThrough(ownExchange(broker.prefix, 'audit'), [quorumQueue(queue, { deliveryLimit: null })])
  await broker.declare(topology)
  for (const body of bodies) broker.channel.sendToQueue(queue, Buffer.from(body))
  await until('the queue has every message', async () => (await broker.depth('audit.quarantine')) === bodies.length)
  return { broker, queue, browser: (connection) => new QueueBrowser({ connection, topology, messagesMax: 10 }) }
}

async function connect(broker: PrivateBroker): Promise<BrokerConnection> {
  const connection = await broker.open('consume')
  await until('the connection is up', () => connection.ready().ready)
  return connection
}

/**
 * A connection whose broker reports no messages and no consumers, as RabbitMQ does while the leader of a queue is busy
 * (after `delayMs`: 250 ms) or unreachable (at once). No test can make the leader of the shared broker late at will.
 */
function withoutCounts(connection: Connection, isUnknown: () => boolean, delayMs: number): Connection {
  return {
    openChannel: async () => {
      const channel = await connection.openChannel()
      const checkQueue = channel.checkQueue.bind(channel)
      channel.checkQueue = async (queue) => {
        if (!isUnknown()) return checkQueue(queue)
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        return { queue, messageCount: 0, consumerCount: 0 }
      }
      return channel
    },
  }
}

test.each([
  ['is busy', 255],
  ['cannot be reached', 0],
])('a queue is not taken for an empty one while its leader %s', async (_state, delayMs) => {
  const { broker, queue, browser } = await quarantine(cleanup, ['1', '2', '3'])
  const connection = await connect(broker)
  let unknownReplies = 3
  const unknown = browser(withoutCounts(connection, () => (unknownReplies -= 1) >= 0, delayMs))
  expect(await unknown.depth(queue)).toBe(3)
  unknownReplies = 3
  const seen: string[][] = []
  await unknown.browse(queue, async (messages, rest) => {
    seen.push([...messages.map(({ body }) => body.toString()), `and ${rest.count}`])
    return messages
  })
  expect(seen).toEqual([['1', '2', '3', 'and 0']])
  unknownReplies = 3
  expect(await unknown.depth(queue)).toBe(0)
})

test('a depth that stays unknown is a problem, and nothing is decided', async () => {
  const { broker, queue, browser } = await quarantine(cleanup, ['1'])
  const unknown = browser(withoutCounts(await connect(broker), () => true, 255))
  const problem = expect.objectContaining({ code: 'service_unavailable' })
  await expect(unknown.depth(queue)).rejects.toEqual(problem)
  const decided: unknown[] = []
  const browse = unknown.browse(queue, async (messages) => {
    decided.push(messages)
    return messages
  })
  await expect(browse).rejects.toEqual(problem)
  expect([decided, await broker.depth('audit.quarantine')]).toEqual([[], 1])
}, 60_000)

test('a depth is known although its channel cannot be closed', async () => {
  const { broker, queue, browser } = await quarantine(cleanup, ['1'])
  const connection = await connect(broker)
  const openChannel = async () =>
    Object.assign(await connection.openChannel(), { close: () => Promise.reject(new Error('not closed')) })
  expect(await browser({ openChannel }).depth(queue)).toBe(1)
})

test('every acknowledgement reaches a queue whose leader is busy after the browse', async () => {
  const bodies = Array.from({ length: 10 }, (_one, index) => String(index))
  const { broker, queue, browser } = await quarantine(cleanup, bodies)
  const connection = await connect(broker)
  let decided = false
  let unknownReplies = 3
  const isUnknown = () => decided && (unknownReplies -= 1) >= 0
  await browser(withoutCounts(connection, isUnknown, 255)).browse(queue, async (messages) => {
    decided = true
    return messages
  })
  expect(unknownReplies).toBeLessThan(0)
  expect(await broker.depth('audit.quarantine')).toBe(0)
})

test('the messages behind a browse are counted, and removed on request', async () => {
  const bodies = Array.from({ length: 12 }, (_one, index) => String(index))
  const { broker, queue, browser } = await quarantine(cleanup, bodies)
  const own = browser(await connect(broker))
  let count = 0
  await own.browse(queue, async (messages, rest) => {
    count = rest.count
    await rest.remove()
    return messages.slice(0, 1)
  })
  expect(count).toBe(2)
  expect((await broker.take('audit.quarantine')).map(({ body }) => body)).toEqual(bodies.slice(1, 10))
})

test('of ten browses of an empty queue, one decides at a time', async () => {
  const { broker, queue, browser } = await quarantine(cleanup, [])
  const connection = await connect(broker)
  let deciding = 0
  const found: number[] = []
  const browse = () =>
    browser(connection).browse(queue, async () => {
      deciding += 1
      found.push(deciding)
      await connection.openChannel().then((channel) => channel.close())
      deciding -= 1
      return []
    })
  await Promise.all(Array.from({ length: 10 }, browse))
  expect(found).toEqual(Array.from({ length: 10 }, () => 1))
})

test('a connection lost during the decision removes nothing, and rejects the browse only', async () => {
  const { broker, queue, browser } = await quarantine(cleanup, ['1', '2'])
  const both = () => until('the queue has both messages', async () => (await broker.depth('audit.quarantine')) === 2)
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('consume', { url: proxy.url })
  await until('the connection is up', () => connection.ready().ready)

  const browse = browser(connection).browse(queue, async (messages) => {
    expect(messages).toHaveLength(2)
    proxy.rejectConnections(true)
    proxy.cut()
    await until('the connection is lost', () => !connection.ready().ready)
    return messages
  })

  await expect(browse).rejects.toMatchObject(unresponsive(queue))
  // Jest fails a test with an unhandled rejection, which would end a process.
  await both()
})

test('says that the broker does not respond, while it is silent', async () => {
  const { broker, queue, browser } = await quarantine(cleanup, [])
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('consume', { url: proxy.url })
  await until('the connection is up', () => connection.ready().ready)
  proxy.pause('both')
  await expect(browser(connection).depth(queue)).rejects.toMatchObject(unresponsive(queue))
}, 60_000)
