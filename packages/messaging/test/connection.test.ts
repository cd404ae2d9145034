import { afterEach, expect, test } from '@jest/globals'
import { brokerProxy, createCleanup, privateBroker, readableLog, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

test('opens without a broker, reports why it is not ready, and is ready once the broker starts', async () => {
  const broker = await privateBroker(cleanup, [])
  const proxy = await brokerProxy(cleanup)
  proxy.rejectConnections(true)
  const connection = await broker.open('publish', { url: proxy.url })
  await until('the connection was rejected', () => proxy.connections() === 0 && !connection.ready().ready)
  expect(connection.ready()).toEqual({ ready: false, reason: expect.stringContaining('no connection to the broker') })
  await expect(connection.openChannel()).rejects.toThrow('no connection to the broker')
  proxy.rejectConnections(false)
  await until('the connection is ready', () => connection.ready().ready)
})

test('reconnects after each loss, and logs each loss and recovery once', async () => {
  const broker = await privateBroker(cleanup, [])
  const proxy = await brokerProxy(cleanup)
  const { log, lines } = readableLog()
  const connection = await broker.open('consume', { url: proxy.url, log })
  for (let round = 1; round <= 3; round += 1) {
    await until('the connection is ready', () => connection.ready().ready)
    proxy.cut()
    await until('the connection is down', () => !connection.ready().ready)
  }
  await until('the connection is ready', () => connection.ready().ready)
  expect(lines.filter((line) => line.includes('is unreachable'))).toHaveLength(3)
  expect(lines.filter((line) => line.includes('connected to the broker'))).toHaveLength(4)
})

test('detects a silent broker by heartbeat', async () => {
  const broker = await privateBroker(cleanup, [])
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('consume', { url: proxy.url, heartbeatSeconds: 1, connectTimeoutMs: 300 })
  await until('the connection is ready', () => connection.ready().ready)
  proxy.pause('both')
  await until('the connection is down', () => !connection.ready().ready)
  await expect(until('the connection is ready again', () => connection.ready().ready)).resolves.toBeUndefined()
})

test('closes in time when the broker does not respond', async () => {
  const broker = await privateBroker(cleanup, [])
  const proxy = await brokerProxy(cleanup)
  const connection = await broker.open('consume', { url: proxy.url, closeTimeoutMs: 200 })
  await until('the connection is ready', () => connection.ready().ready)
  proxy.pause('both')
  const startedAt = Date.now()
  await connection.close()
  expect(Date.now() - startedAt).toBeLessThan(20_000)
  expect(connection.ready()).toEqual({ ready: false, reason: 'closed' })
})

test('rejects an address that is not an AMQP address', async () => {
  const broker = await privateBroker(cleanup, [])
  await expect(broker.open('publish', { url: 'http://127.0.0.1/' })).rejects.toThrow('amqp://')
})
