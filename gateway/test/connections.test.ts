import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

/** A response too large for the socket buffers of a client that does not read. */
const longBytes = 32 * 1024 * 1024
const path = '/v1/payment-proxy/transactions'
/** Longer than a busy machine delays a client that reads. */
const stallMs = 3_000
const sockets = new Set<Socket>()

afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

interface Client {
  readonly socket: Socket
  readonly received: () => number
  readonly text: () => string
  readonly isClosed: () => boolean
}

/** A client that reads only after `resume`. */
function open(world: World, { reads = false, from = '127.0.0.1' } = {}): Promise<Client> {
  return new Promise((resolve, reject) => {
    let received = 0
    let text = ''
    let isClosed = false
    const client = { received: () => received, text: () => text, isClosed: () => isClosed }
    const socket = connect({ port: world.port, host: '127.0.0.1', localAddress: from })
    sockets.add(socket)
    socket.on('data', (chunk) => {
      received += chunk.length
      if (text.length < 100_000) text += chunk.toString('latin1')
    })
    if (!reads) socket.pause()
    socket.on('error', () => {})
    socket.once('close', () => {
      isClosed = true
      sockets.delete(socket)
    })
    // A connection that is closed immediately may never emit 'connect'.
    socket.once('connect', () => resolve({ socket, ...client })).once('close', () => resolve({ socket, ...client }))
    setTimeout(() => reject(new Error('no connection')), 30_000).unref()
  })
}

const metric = async (world: World, name: string) => {
  const line = (await world.metrics.registry.metrics()).split('\n').find((text) => text.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const closedFor = (world: World, reason: string) => metric(world, `gateway_connections_closed_total{reason="${reason}"`)
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
const withKey = ({ admin }: TestTenant) =>
  Object.entries(credentialHeaders(admin))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

describe('a client that does not read', () => {
  let world: World
  let tenant: TestTenant
  beforeAll(async () => {
    world = await startWorld({
      env: { RESPONSE_STALL_MS_MAX: String(stallMs), UNFLUSHED_BYTES_PER_CONNECTION_MAX: String(longBytes) },
    })
    tenant = await world.tenant()
    world.upstream.respond((_request, response) => void response.end(Buffer.alloc(longBytes)))
  })
  afterAll(() => world.stop())

  test('is disconnected when it has read nothing for the allowed time, and its permit is released', async () => {
    const client = await open(world)
    client.socket.write(get(path, withKey(tenant)))
    await until(async () => ((await closedFor(world, 'stalled')) > 0 ? true : undefined))
    await expect(
      until(async () =>
        (await metric(world, 'gateway_upstream_requests{upstream="payment-proxy"')) === 0 ? true : undefined,
      ),
    ).resolves.toBe(true)
  })

  test('is disconnected although it continues to send', async () => {
    const before = await closedFor(world, 'stalled')
    const client = await open(world)
    client.socket.write(get(path, withKey(tenant)))
    client.socket.write(`${get('/healthz').trimEnd()}\r\nX-Slow: `)
    const timer = setInterval(() => client.socket.writable && client.socket.write('a'), 20)
    await expect(until(async () => ((await closedFor(world, 'stalled')) > before ? true : undefined))).resolves.toBe(
      true,
    )
    clearInterval(timer)
  })

  test('is not disconnected while it reads slowly, and receives the whole response', async () => {
    const before = await closedFor(world, 'stalled')
    const client = await open(world)
    client.socket.write(get(path, withKey(tenant)))
    // One chunk of 64 KiB at a time, for twice the allowed stall.
    const timer = setInterval(() => {
      client.socket.once('data', () => client.socket.pause())
      client.socket.resume()
    }, 50)
    const slowUntil = Date.now() + 2 * stallMs
    await until(() => (Date.now() > slowUntil ? true : undefined))
    clearInterval(timer)
    expect(client.received()).toBeLessThan(longBytes / 2)
    client.socket.removeAllListeners('data')
    let rest = 0
    client.socket.on('data', (chunk) => (rest += chunk.length)).resume()
    await until(() => (client.received() + rest > longBytes ? true : undefined))
    expect(await closedFor(world, 'stalled')).toBe(before)
  })

  test('an idle connection does not count as a client that does not read', async () => {
    const client = await open(world, { reads: true })
    client.socket.write(get('/healthz'))
    await until(() => (client.received() > 0 ? true : undefined))
    const sweeps = Date.now() + 1_000
    await until(() => (Date.now() > sweeps ? true : undefined))
    expect(client.isClosed()).toBe(false)
  })
})

describe('unread response bytes', () => {
  const page = '/v1/openapi.json'
  /** More than the socket buffers of a client. */
  const pagesPerClient = 30
  const pagesBytes = pagesPerClient * 370_000
  const PIPELINED_REQUESTS_MAX = '64'

  test('are limited per connection', async () => {
    const world = await startWorld({ env: { UNFLUSHED_BYTES_PER_CONNECTION_MAX: '1000000', PIPELINED_REQUESTS_MAX } })
    const client = await open(world)
    client.socket.write(get(page).repeat(pagesPerClient))
    await expect(until(async () => ((await closedFor(world, 'unflushed_bytes')) > 0 ? true : undefined))).resolves.toBe(
      true,
    )
    await world.stop()
  })

  test('are limited in total: the connection with the most is closed, a reading one is not', async () => {
    const world = await startWorld({
      env: {
        UNFLUSHED_BYTES_MAX: String(pagesBytes * 2),
        UNFLUSHED_BYTES_PER_CONNECTION_MAX: String(pagesBytes * 2),
        PIPELINED_REQUESTS_MAX,
      },
    })
    const reader = await open(world, { reads: true })
    const hoarders = await Promise.all(Array.from({ length: 6 }, () => open(world)))
    for (const hoarder of hoarders) hoarder.socket.write(get(page).repeat(pagesPerClient))
    await until(async () => ((await closedFor(world, 'unflushed_bytes_in_all')) > 0 ? true : undefined))
    reader.socket.write(get('/healthz'))
    await until(() => (reader.text().includes('200 OK') ? true : undefined))
    expect(await metric(world, 'gateway_connections{')).toBeGreaterThan(0)
    await world.stop()
  })

  test('of pages cost no memory: all responses share one buffer', async () => {
    const world = await startWorld({ env: { PIPELINED_REQUESTS_MAX } })
    const before = process.memoryUsage()
    const clients = await Promise.all(Array.from({ length: 20 }, () => open(world)))
    for (const client of clients) client.socket.write(get(page).repeat(5))
    const requests = clients.length * 5
    await until(async () =>
      (await metric(world, 'http_request_duration_seconds_count{')) >= requests ? true : undefined,
    )
    const after = process.memoryUsage()
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(requests * 100_000)
    await world.stop()
  })
})

/** Opens connections until one is served. */
const untilServed = (world: World) =>
  until(async () => {
    const next = await open(world, { reads: true })
    next.socket.write(get('/healthz'))
    const end = () => (next.isClosed() ? 'closed' : next.text().includes('200 OK') ? 'served' : undefined)
    return (await until(end)) === 'served' ? true : undefined
  })

/**
 * Waits until the gateway has closed one connection, and returns the others. Which one it closes does not follow from
 * the order of the clients: the gateway accepts connections from several sockets.
 */
const allButOneClosed = (clients: readonly Client[]) =>
  until(() => {
    const open = clients.filter((client) => !client.isClosed())
    return open.length === clients.length - 1 ? open : undefined
  })

describe('connections', () => {
  test('are limited per address; another address is served, and a closed connection frees capacity', async () => {
    const world = await startWorld({ env: { CONNECTIONS_PER_ADDRESS_MAX: '3' } })
    const ofOne = await Promise.all(Array.from({ length: 4 }, () => open(world, { reads: true })))
    const served = await allButOneClosed(ofOne)
    expect(await closedFor(world, 'connections_of_address')).toBe(1)
    const other = await open(world, { reads: true, from: '127.0.0.2' })
    other.socket.write(get('/healthz'))
    await until(() => (other.text().includes('200 OK') ? true : undefined))
    served[0]?.socket.destroy()
    await untilServed(world)
    await world.stop()
  })

  test('are limited in total, and a closed connection frees capacity', async () => {
    const world = await startWorld({ env: { CONNECTIONS_MAX: '2' } })
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
    const served = await allButOneClosed(await Promise.all(addresses.map((from) => open(world, { from }))))
    expect(await closedFor(world, 'connections')).toBe(1)
    served[0]?.socket.destroy()
    await untilServed(world)
    await world.stop()
  })

  test('of an address that has all of them make way for another address, the idle ones first', async () => {
    const world = await startWorld({ env: { CONNECTIONS_MAX: '4' } })
    const greedy = await Promise.all(Array.from({ length: 4 }, () => open(world, { from: '127.0.0.2' })))
    const others = [
      await open(world, { from: '127.0.0.3', reads: true }),
      await open(world, { from: '127.0.0.3', reads: true }),
    ]
    for (const other of others) other.socket.write(get('/healthz'))
    await until(() => (others.every((other) => other.text().includes('200 OK')) ? true : undefined))
    await until(() => (greedy.filter((client) => client.isClosed()).length === 2 ? true : undefined))
    const third = await open(world, { from: '127.0.0.3' })
    await expect(until(() => (third.isClosed() ? true : undefined))).resolves.toBe(true)
    await world.stop()
  })

  test('behind a trusted proxy are not limited per address', async () => {
    const world = await startWorld({ env: { CONNECTIONS_PER_ADDRESS_MAX: '1', TRUSTED_PROXIES: '1' } })
    const clients = await Promise.all(Array.from({ length: 5 }, () => open(world, { reads: true })))
    for (const client of clients) client.socket.write(get('/healthz', 'X-Forwarded-For: 192.0.2.1\r\n'))
    await expect(
      until(() => (clients.every((client) => client.text().includes('200 OK')) ? true : undefined)),
    ).resolves.toBe(true)
    await world.stop()
  })
})

describe('requests on one connection', () => {
  test('within the limit get responses in order', async () => {
    const world = await startWorld({ env: { PIPELINED_REQUESTS_MAX: '4' } })
    const client = await open(world, { reads: true })
    client.socket.write(get('/healthz').repeat(4))
    await until(() => (client.text().match(/200 OK/g)?.length === 4 ? true : undefined))
    client.socket.write(get('/healthz').repeat(4))
    await expect(until(() => (client.text().match(/200 OK/g)?.length === 8 ? true : undefined))).resolves.toBe(true)
    await world.stop()
  })

  test('beyond the limit close the connection and reach no service', async () => {
    const world = await startWorld({ env: { PIPELINED_REQUESTS_MAX: '4' } })
    const tenant = await world.tenant()
    const reached: (string | undefined)[] = []
    world.upstream.respond(({ url }) => void reached.push(url))
    const client = await open(world)
    client.socket.write(get(path, withKey(tenant)).repeat(50))
    await until(() => (client.isClosed() ? true : undefined))
    expect(await closedFor(world, 'pipelined_requests')).toBe(1)
    // Later than those that were read together with the request that closed the connection.
    const later = await open(world)
    later.socket.write(get(`${path}?limit=1`, withKey(tenant)))
    await until(() => (reached.includes(`${path}?limit=1`) ? true : undefined))
    expect(reached.filter((url) => url === path).length).toBeLessThanOrEqual(4)
    await world.stop()
  })
})
