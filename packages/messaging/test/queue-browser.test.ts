import { afterEach, expect, test } from '@jest/globals'
import { ownExchange, quorumQueue, reachedThrough } from '../src/broker/topology.ts'
import { QueueBrowser } from '../src/quarantine/queue-browser.ts'
import { brokerProxy, createCleanup, privateBroker, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('a connection lost during the decision removes nothing, and rejects the browse only', async () => {
  const broker = await privateBroker(cleanup, ['audit.quarantine'], ['audit.queues'])
  const queue = broker.name('audit.quarantine')
  const topology = reachedThrough(ownExchange(broker.prefix, 'audit'), [quorumQueue(queue, { deliveryLimit: null })])
  await broker.declare(topology)
  for (const body of ['1', '2']) broker.channel.sendToQueue(queue, Buffer.from(body))
  const both = () => until('the queue has both messages', async () => (await broker.depth('audit.quarantine')) === 2)
  await both()
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('consume', { url: proxy.url })
  await until('the connection is up', () => connection.ready().ready)

  const browse = new QueueBrowser({ connection, topology, messagesMax: 10 }).browse(queue, async (messages) => {
    expect(messages).toHaveLength(2)
    proxy.rejectConnections(true)
    proxy.cut()
    await until('the connection is lost', () => !connection.ready().ready)
    return messages
  })

  await expect(browse).rejects.toThrow('Channel closed')
  // Jest fails a test with an unhandled rejection, which would end a process.
  await both()
})
