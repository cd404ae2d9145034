import { afterEach, expect, test } from '@jest/globals'
import { Publisher } from '../src/broker/publisher.ts'
import { consumerWorld, failure, send } from './consume-world.ts'
import { createCleanup, type PrivateBroker, silent, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('declares its queue again after a deletion, and consumes it', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const handled: string[] = []
  start(async (word) => {
    handled.push(word)
  })
  await send(broker, publisher, 'before')
  await until('the first is handled', () => handled.length === 1)
  await broker.channel.deleteQueue(broker.name('work'))
  await until('the queue exists again', () => exists(broker, 'work'))
  // RabbitMQ rejects a message that it routed to the queue while that was being deleted.
  const isAccepted = () =>
    send(broker, publisher, 'after').then(
      () => true,
      () => false,
    )
  await until('a second message is accepted', isAccepted)
  await expect(until('the second is handled', () => handled.includes('after'))).resolves.toBeUndefined()
})

test('declares a removed binding again', async () => {
  const { broker, start } = await consumerWorld(cleanup)
  const consumer = start(async () => {}, { redeclareMs: 50 })
  await until('the consumer is ready', () => consumer.ready().ready)
  await broker.channel.unbindQueue(broker.name('work'), broker.name('facts'), '#')
  // A mandatory message is returned while the binding is missing.
  const connection = await broker.open('publish')
  const publisher = new Publisher({ connection, topology: [], log: silent })
  cleanup.later(() => publisher.close())
  const fact = { exchange: broker.name('facts'), routingKey: 'any', body: Buffer.from('"a"'), messageId: 'a' }
  await expect(
    until('the message is routed', () =>
      publisher.publish(fact).then(
        () => true,
        () => false,
      ),
    ),
  ).resolves.toBeUndefined()
})

test('declares a deleted quarantine queue again when a message needs it', async () => {
  const { broker, publisher, start } = await consumerWorld(cleanup)
  const consumer = start(() => Promise.reject(failure))
  await until('the consumer is ready', () => consumer.ready().ready)
  await broker.channel.deleteQueue(broker.name('quarantine'))
  await send(broker, publisher, 'a')
  await until('the queue exists', () => exists(broker, 'quarantine'))
  await until('the message is quarantined', async () => (await broker.depth('quarantine')) === 1)
})

/** On a separate channel: the broker closes a channel that checks a missing queue. */
async function exists(broker: PrivateBroker, queue: string): Promise<boolean> {
  const connection = await broker.open('consume')
  await expect(until('connected', () => connection.ready().ready)).resolves.toBeUndefined()
  const channel = await connection.openChannel()
  channel.on('error', () => undefined)
  const found = await channel.checkQueue(broker.name(queue)).then(
    () => true,
    () => false,
  )
  await connection.close()
  return found
}

test('handles every message when connections are reset repeatedly under load', async () => {
  const { broker, proxy, publisher, start } = await consumerWorld(cleanup, { deliveryLimit: 1_000, proxied: true })
  const handled = new Set<string>()
  start(async (word) => {
    await new Promise((resolve) => setImmediate(resolve))
    handled.add(word)
  })
  const words: string[] = []
  for (let round = 0; round < 6; round += 1) {
    const fresh = Array.from({ length: 200 }, (_, n) => `r${round}w${n}`)
    words.push(...fresh)
    const sender = await broker.open('publish')
    const direct = new Publisher({ connection: sender, topology: [], log: silent })
    await send(broker, direct, ...fresh)
    await direct.close()
    await until('some are handled', () => handled.size > round * 200 + 20)
    proxy.cut()
  }
  await until('all are handled', () => handled.size === words.length)
  await until('the queue is empty', async () => (await broker.depth('work')) === 0)
  expect(publisher.countInFlight()).toBe(0)
})
