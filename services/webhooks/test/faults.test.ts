/** @slow It kills dispatchers and sessions. */
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { testEventEnvironment } from '@payments/testing/broker/signed-events'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import amqp from 'amqplib'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

const dispatcherFile = fileURLToPath(new URL('../dist/dispatcher.js', import.meta.url))

let world: World
let endpoint: Receiver
const children: ChildProcess[] = []
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,200ms,400ms' })
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await endpoint.close()
})

/** A real dispatcher process. */
function spawnDispatcher(): ChildProcess {
  const child = spawn(process.execPath, [dispatcherFile], {
    env: {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'fatal',
      INTERNAL_PORT: '0',
      DRAIN_DELAY_MS: '0',
      DATABASE_URL: world.database.url,
      AMQP_URL: world.brokerUrl,
      MESSAGING_PREFIX: world.prefix,
      EVENT_VERIFY_KEYS: testEventEnvironment.EVENT_VERIFY_KEYS,
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      WEBHOOKS_RETRY_SCHEDULE: '0s,200ms,400ms',
      VAULT_KEYS: JSON.stringify({ k1: world.vaultKeys.get('k1')?.export().toString('base64') }),
      VAULT_KEY_CURRENT: 'k1',
    },
    stdio: 'inherit',
  })
  children.push(child)
  return child
}

/** Terminates every other session of this database. */
const cutDatabase = () =>
  world.db.acrossTenants((tx) =>
    tx.$queryRawUnsafe(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    ),
  )

const exited = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })

describe('faults', () => {
  test('killed between POST and commit: the attempt is repeated and counted once', async () => {
    endpoint.respondWith(() => undefined)
    const first = spawnDispatcher()
    const subscribed = await subscribe(world, endpoint.url)
    const event = someEvent(subscribed.tenantId, subscribed.unitId)
    await until(async () => (await world.broker.depth('webhooks.deliveries').catch(() => -1)) === 0)
    await world.publish(event)
    await endpoint.waitFor(() => true, { timeoutMs: 60_000 })
    first.kill('SIGKILL')
    await exited(first)

    endpoint.respondWith(() => ({ status: 200 }))
    spawnDispatcher()
    const delivery = await settled(subscribed, 'delivered', 40_000)
    expect(delivery.attempts.map(({ number, status_code }) => [number, status_code])).toEqual([[1, 200]])
    expect(endpoint.received.map((one) => one.headers['webhook-id'])).toEqual([event.id, event.id])
  }, 120_000)

  test('stopped during an attempt: the attempt does not count, and the next dispatcher makes it', async () => {
    endpoint.respondWith(() => undefined)
    const first = spawnDispatcher()
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true, { timeoutMs: 60_000 })
    first.kill('SIGTERM')
    expect(await exited(first)).toBe(0)
    const [left] = await subscribed.deliveries()
    expect(left).toMatchObject({ status: 'pending', attempt_count: 0 })

    endpoint.respondWith(() => ({ status: 200 }))
    spawnDispatcher()
    const delivery = await settled(subscribed, 'delivered', 20_000)
    expect(delivery.attempts.map((attempt) => attempt.number)).toEqual([1])
  }, 120_000)

  test('repeated loss of the broker connection: every event is delivered', async () => {
    const proxy = await cuttable(world.brokerUrl)
    const dispatcher = await world.dispatch(proxy.url)
    try {
      const subscribed = await subscribe(world, endpoint.url)
      const events = Array.from({ length: 100 }, () => someEvent(subscribed.tenantId, subscribed.unitId))
      for (const [index, event] of events.entries()) {
        await world.publish(event)
        if (index % 30 === 10) proxy.cut()
      }
      await until(async () => {
        const seen = new Set(endpoint.received.map((one) => one.headers['webhook-id']))
        return events.every((event) => seen.has(event.id))
      }, 90_000)
      await until(async () => (await subscribed.deliveries('?status=delivered&limit=200')).length === 100, 40_000)
      const rows = await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.groupBy({ by: ['deliveryId'] }))
      expect(rows).toHaveLength(100)
    } finally {
      await dispatcher.stop()
      await proxy.close()
    }
  }, 90_000)

  test('repeated loss of the database connections: every event is delivered, each attempt counts once', async () => {
    const dispatcher = await world.dispatch()
    const subscribed = await subscribe(world, endpoint.url)
    const events = Array.from({ length: 60 }, () => someEvent(subscribed.tenantId, subscribed.unitId))
    for (const [index, event] of events.entries()) {
      await world.publish(event)
      if (index % 20 === 10) await cutDatabase()
    }
    await until(async () => (await subscribed.deliveries('?status=delivered&limit=200')).length === 60, 45_000)
    const attempts = await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.findMany())
    expect(attempts.map((attempt) => attempt.number)).toEqual(events.map(() => 1))
    const quarantined = await world.broker.deadLetters.depth('webhooks.quarantine')
    expect(quarantined).toBe(0)
    await dispatcher.stop()
  }, 90_000)

  test('a retry queue deleted with a message: the sweeper starts the attempt', async () => {
    const dispatcher = await world.dispatch()
    endpoint.respondWith(() => ({ status: endpoint.received.length < 2 ? 500 : 200 }))
    const subscribed = await subscribe(world, endpoint.url)
    const connection = await amqp.connect(world.brokerUrl)
    const channel = await connection.createChannel()
    // Only the sweeper can start the second attempt: its message is lost with the retry queue.
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true)
    for (const delayMs of [160, 200, 240]) await channel.deleteQueue(world.names.retry(delayMs))
    await connection.close()
    const delivery = await settled(subscribed, 'delivered', 25_000)
    expect(delivery.attempts.map((attempt) => attempt.number)).toEqual([1, 2])
    await dispatcher.stop()
  }, 120_000)

  test('an event published without a running dispatcher is delivered by the next one', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const dispatcher = await world.dispatch()
    expect(await settled(subscribed, 'delivered')).toMatchObject({ status: 'delivered' })
    await dispatcher.stop()
  })
})

/** A TCP proxy to the broker that can be cut. */
async function cuttable(brokerUrl: string) {
  const target = new URL(brokerUrl)
  const sockets = new Set<Socket>()
  const server = createServer((clientSide) => {
    const serverSide = connect(Number(target.port), target.hostname)
    for (const socket of [clientSide, serverSide]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        clientSide.destroy()
        serverSide.destroy()
      })
    }
    clientSide.pipe(serverSide).pipe(clientSide)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = new URL(brokerUrl)
  url.host = `127.0.0.1:${address.port}`
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    close: () => {
      cut()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
