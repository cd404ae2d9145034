import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { createSender } from '../src/egress/send.ts'
import { type Subscribed, someEvent, startWorld, subscribe, type World } from './world.ts'

/** Hostile receivers: each causes an attempt with a clear error, and delays no other receiver. */
const head = 'HTTP/1.1 200 OK\r\n'

const respondWith = (text: string | Buffer) => (socket: Socket) => socket.once('data', () => socket.end(text))
const repeats = (first: string, again: string | Buffer, everyMs: number) => (socket: Socket) =>
  socket.once('data', () => {
    socket.write(first)
    const tick = setInterval(() => socket.write(again), everyMs)
    socket.once('close', () => clearInterval(tick))
  })

/** Sends as fast as the client reads, at most one gigabyte. */
const pours = (first: string) => (socket: Socket) =>
  socket.once('data', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let left = 1024 ** 3 / chunk.length
    const more = () => {
      while (left-- > 0 && !socket.destroyed && socket.write(chunk));
    }
    socket.write(first)
    socket.on('drain', more)
    more()
  })

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))

const hostile: Record<string, { serve: (socket: Socket) => unknown; kind: string | null; status: number | null }> = {
  'hangs before it responds': { serve: () => undefined, kind: 'timeout', status: null },
  'trickles its headers': { serve: repeats(head, 'X: y\r\n', 20), kind: 'timeout', status: null },
  'trickles its body': { serve: repeats(`${head}\r\n`, 'x', 20), kind: 'timeout', status: 200 },
  'sends early hints without end': {
    serve: repeats('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 5),
    kind: 'protocol',
    status: null,
  },
  'closes without a response': {
    serve: (socket) => socket.once('data', () => socket.end()),
    kind: 'reset',
    status: null,
  },
  resets: { serve: (socket) => socket.once('data', () => socket.resetAndDestroy()), kind: 'reset', status: null },
  'announces more than it sends': {
    serve: respondWith(`${head}Content-Length: 10\r\n\r\nabc`),
    kind: 'reset',
    status: 200,
  },
  'announces more and waits': {
    serve: repeats(`${head}Content-Length: 10\r\n\r\nabc`, '', 1_000),
    kind: 'timeout',
    status: 200,
  },
  'sends more than it announces': {
    serve: respondWith(`${head}Content-Length: 3\r\n\r\nabcdef`),
    kind: null,
    status: 200,
  },
  'sends two lengths': {
    serve: respondWith(`${head}Content-Length: 3\r\nContent-Length: 6\r\n\r\nabcdef`),
    kind: 'protocol',
    status: null,
  },
  'sends a length and chunks': {
    serve: respondWith(`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    kind: 'protocol',
    status: null,
  },
  'sends a gigabyte': { serve: pours(`${head}Content-Length: ${1024 ** 3}\r\n\r\n`), kind: null, status: 200 },
  'sends a gigabyte of headers': { serve: pours(`${head}X: `), kind: 'protocol', status: null },
  'sends a header of 64 KiB': {
    serve: respondWith(`${head}X: ${'y'.repeat(64 * 1024)}\r\nContent-Length: 0\r\n\r\n`),
    kind: 'protocol',
    status: null,
  },
  'sends a thousand headers': {
    serve: respondWith(`${head}${'X-Header: some value\r\n'.repeat(1_000)}Content-Length: 0\r\n\r\n`),
    kind: 'protocol',
    status: null,
  },
  'sends a gzip bomb': {
    serve: respondWith(
      Buffer.concat([Buffer.from(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`), bomb]),
    ),
    kind: null,
    status: 200,
  },
  'sends an invalid status line': { serve: respondWith('HTTP/1.1 abc OK\r\n\r\n'), kind: 'protocol', status: null },
  'speaks another protocol': { serve: respondWith('220 smtp.example.com ESMTP\r\n'), kind: 'protocol', status: null },
  'switches protocols': {
    serve: respondWith('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    kind: 'protocol',
    status: null,
  },
  'redirects to a private address': {
    serve: respondWith(
      'HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/latest/meta-data\r\nContent-Length: 0\r\n\r\n',
    ),
    kind: 'redirect',
    status: 307,
  },
  'sends NUL': { serve: respondWith(`HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\na\0b`), kind: 'status', status: 500 },
}

const sockets = new Set<Socket>()
const servers: ReturnType<typeof createServer>[] = []

async function serve(behave: (socket: Socket) => unknown): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    behave(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`
}

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

/** For receivers that cause a time-out. The others get 20 s, because the machine may be slow. */
const totalTimeoutMs = 2_000

/** Addresses, system calls and messages of Node and OpenSSL: no tenant reads them. */
const internals =
  /\d+\.\d+\.\d+\.\d+|::|\b(?:E[A-Z]{4,}|getaddrinfo|connect E|socket hang up|Parse Error|routines)\b|[\\/]/

describe('a receiver that', () => {
  const senderWithin = (limitMs: number) =>
    createSender({ allowPrivate: true, stop: new AbortController().signal, limits: { totalTimeoutMs: limitMs } })
  const [quick, patient] = [senderWithin(totalTimeoutMs), senderWithin(20_000)]
  afterAll(() => Promise.all([quick.close(), patient.close()]))
  const post = async (url: string, { send } = quick) =>
    send({ url, headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{}') })

  test.each(Object.entries(hostile))('%s', async (_, { serve: behave, kind, status }) => {
    const outcome = await post(await serve(behave), kind === 'timeout' ? quick : patient)
    expect([outcome.errorKind, outcome.statusCode]).toEqual([kind, status])
    expect(outcome.errorDetail === null).toBe(kind === null)
    expect(outcome.errorDetail ?? '').not.toMatch(internals)
    expect(outcome.durationMs).toBeLessThan(30_000)
    expect(outcome.responseBody?.length ?? 0).toBeLessThanOrEqual(16 * 1024)
  })

  test('sends gigabytes to two hundred attempts at once: memory stays bounded', async () => {
    const url = await serve(pours(`${head}\r\n`))
    const before = process.memoryUsage()
    let most = 0
    const watch = setInterval(() => {
      const { heapUsed, external } = process.memoryUsage()
      most = Math.max(most, heapUsed + external - before.heapUsed - before.external)
    }, 5)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => post(url)))
    clearInterval(watch)
    expect(outcomes.every(({ responseTruncated, errorKind }) => responseTruncated || errorKind === 'timeout')).toBe(
      true,
    )
    // The sender is in this process too.
    expect(most).toBeLessThan(200 * 1024 ** 2)
  }, 90_000)
})

describe('all hostile receivers at once', () => {
  let world: World
  let endpoint: Receiver
  beforeAll(async () => {
    world = await startWorld({ schedule: '0s' })
    await world.dispatch()
    endpoint = await receiver()
  })
  afterAll(async () => {
    await world.stop()
    await endpoint.close()
  })

  test('each delivery has one attempt with its error, and no other receiver is delayed', async () => {
    const subscribed: Record<string, Subscribed> = {}
    for (const [name, { serve: behave }] of Object.entries(hostile)) {
      subscribed[name] = await subscribe(world, await serve(behave))
    }
    const healthy = await subscribe(world, endpoint.url)
    for (const { tenantId, unitId } of Object.values(subscribed)) await world.publish(someEvent(tenantId, unitId))
    const waits: number[] = []
    for (let round = 0; round < 20; round += 1) {
      const event = someEvent(healthy.tenantId, healthy.unitId)
      const from = Date.now()
      await world.publish(event)
      await endpoint.waitFor((one) => one.headers['webhook-id'] === event.id)
      waits.push(Date.now() - from)
    }
    expect(waits.sort((a, b) => a - b)[10]).toBeLessThan(1_000)
    const found: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const [name, { kind, status }] of Object.entries(hostile)) {
      const one = subscribed[name]
      if (one === undefined) throw new Error('unreachable')
      await until(
        async () => (await one.deliveries()).some((row) => ['dead', 'delivered'].includes(row.status)),
        60_000,
      )
      const [row] = await one.deliveries()
      const attempts = row === undefined ? [] : (await one.delivery(row.id)).attempts
      found[name] = attempts.map((attempt) => [attempt.number, attempt.error_kind, attempt.status_code])
      expected[name] = [[1, kind, status]]
      for (const { error_detail: detail } of attempts) expect(detail ?? '').not.toMatch(internals)
    }
    expect(found).toEqual(expected)
  }, 120_000)
})
