import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { classifyStatus } from '../src/domain/attempt/outcome.ts'
import { createSender, type SenderOptions } from '../src/egress/send.ts'

let endpoint: Receiver
const closes: (() => void)[] = []
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(async () => {
  for (const close of closes.splice(0)) close()
  await endpoint.close()
})

const body = Buffer.from('{"a":1}')

/** Limits of a sender whose attempt ends by a time-out. Other attempts have time on a busy machine. */
const short = { connectTimeoutMs: 500, totalTimeoutMs: 1_000 }

function sender(options: Partial<SenderOptions> = {}) {
  const limits = { connectTimeoutMs: 10_000, totalTimeoutMs: 20_000, ...options.limits }
  const created = createSender({ allowPrivate: true, stop: new AbortController().signal, ...options, limits })
  closes.push(created.close)
  return (url: string) => created.send({ url, headers: { 'Content-Type': 'application/json' }, body })
}

/** A TCP server: `onSocket` decides what it sends. */
async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closes.push(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

describe('send', () => {
  test.each([200, 201, 204, 299])('%i is success', async (status) => {
    endpoint.respondWith(() => ({ status }))
    expect(await sender()(endpoint.url)).toMatchObject({ statusCode: status, errorKind: null, errorDetail: null })
  })

  test.each([
    [199, 'status'],
    [200, null],
    [299, null],
    [300, 'redirect'],
    [399, 'redirect'],
    [400, 'status'],
    [409, 'status'],
    [410, 'gone'],
    [411, 'status'],
    [500, 'status'],
    [599, 'status'],
  ])('%i is classified as %s: only 2xx is success', (status, errorKind) => {
    expect(classifyStatus(status).errorKind).toBe(errorKind)
  })

  test.each([
    [300, 'redirect'],
    [304, 'redirect'],
    [399, 'redirect'],
    [301, 'redirect'],
    [400, 'status'],
    [404, 'status'],
    [500, 'status'],
    [503, 'status'],
  ])('%i is a failure of kind %s', async (status, errorKind) => {
    endpoint.respondWith(() => ({ status, headers: { location: endpoint.url } }))
    expect(await sender()(endpoint.url)).toMatchObject({ statusCode: status, errorKind })
    expect(endpoint.received).toHaveLength(1)
  })

  test('stores the first 16 KiB of the response and reads no more, even of a gigabyte', async () => {
    let written = 0
    endpoint.respondWith((_, response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const more = () => {
        while (!response.destroyed && written < 1024 ** 3) {
          written += chunk.length
          if (!response.write(chunk)) break
        }
      }
      response.on('drain', more)
      more()
      return undefined
    })
    const outcome = await sender()(endpoint.url)
    expect(outcome).toMatchObject({ errorKind: null, responseTruncated: true })
    expect(outcome.responseBody).toHaveLength(16 * 1024)
    expect(written).toBeLessThan(64 * 1024 ** 2)
  })

  test('does not decompress a response', async () => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024))
    endpoint.respondWith(() => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body: bomb }))
    const outcome = await sender()(endpoint.url)
    expect(Buffer.from(outcome.responseBody ?? [])).toEqual(bomb.subarray(0, 16 * 1024))
  })

  test('an endpoint that hangs is a timeout at the deadline', async () => {
    endpoint.respondWith(() => undefined)
    const outcome = await sender({ limits: short })(endpoint.url)
    expect(outcome).toMatchObject({ errorKind: 'timeout', statusCode: null })
    expect(outcome.durationMs).toBeGreaterThanOrEqual(990)
    expect(outcome.durationMs).toBeLessThan(20_000)
  })

  test('an endpoint that trickles is a timeout at the same deadline', async () => {
    const ticks: NodeJS.Timeout[] = []
    endpoint.respondWith((_, response) => {
      response.writeHead(200)
      ticks.push(setInterval(() => response.write('x'), 50))
      return undefined
    })
    const outcome = await sender({ limits: short })(endpoint.url)
    for (const tick of ticks) clearInterval(tick)
    expect(outcome).toMatchObject({ errorKind: 'timeout', statusCode: 200 })
    expect(outcome.durationMs).toBeLessThan(20_000)
  })

  test('distinguishes a refused connection, a reset, an invalid response and half a response', async () => {
    const closed = await receiver()
    await closed.close()
    expect((await sender()(closed.url)).errorKind).toBe('connect')
    const resets = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect((await sender()(resets)).errorKind).toBe('reset')
    const nonsense = await rawServer((socket) => socket.once('data', () => socket.end('HELLO\r\n\r\n')))
    expect((await sender()(nonsense)).errorKind).toBe('protocol')
    const half = await rawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')),
    )
    expect((await sender()(half)).errorKind).toBe('reset')
  })

  test('https to a server without TLS is a TLS failure', async () => {
    expect((await sender()(endpoint.url.replace('http:', 'https:'))).errorKind).toBe('tls')
  })

  test('an unknown name is a DNS failure, a slow lookup a timeout', async () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    expect((await sender({ lookup: () => Promise.reject(unknown) })('http://a.test/')).errorKind).toBe('dns')
    const slow = await sender({ limits: short, lookup: () => new Promise(() => {}) })('http://a.test/')
    expect(slow).toMatchObject({ errorKind: 'timeout', errorDetail: expect.stringContaining('resolved') })
  })

  test('checks all addresses of a name at every attempt: a name that becomes private is rejected', async () => {
    const results = [['127.0.0.1'], ['127.0.0.1', '169.254.169.254'], ['127.0.0.1']]
    const send = sender({ lookup: async () => results.shift() ?? [] })
    const { port } = new URL(endpoint.url)
    expect((await send(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(await send(`http://hook.test:${port}/`)).toMatchObject({ errorKind: 'blocked_address', statusCode: null })
    expect((await send(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(endpoint.received).toHaveLength(2)
    expect(endpoint.received[0]?.headers.host).toBe(`hook.test:${port}`)
  })

  test('rejects a private address outside development, resolved or in the URL', async () => {
    const send = sender({ allowPrivate: false, lookup: async () => ['127.0.0.1'] })
    expect(await send('https://hook.example.com/')).toMatchObject({ errorKind: 'blocked_address' })
    expect(await send(endpoint.url)).toMatchObject({ errorKind: 'blocked_address' })
    expect(await send('https://127.0.0.1/')).toMatchObject({ errorKind: 'blocked_address' })
    expect(endpoint.received).toEqual([])
  })

  test('reuses a connection, and opens a new one when it was closed', async () => {
    let connections = 0
    let requests = 0
    const url = await rawServer((socket) => {
      connections += 1
      socket.on('data', () => {
        requests += 1
        if (requests === 3) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      })
    })
    const send = sender()
    const kinds = [(await send(url)).errorKind, (await send(url)).errorKind, (await send(url)).errorKind]
    expect(kinds).toEqual([null, null, null])
    expect(connections).toBe(2)
  })

  test('a shutdown aborts the attempt as a local failure', async () => {
    const stop = new AbortController()
    endpoint.respondWith(() => undefined)
    const sent = sender({ stop: stop.signal })(endpoint.url)
    await endpoint.waitFor(() => true)
    stop.abort()
    await expect(sent).rejects.toMatchObject({ name: 'LocalFailure' })
    await expect(sender({ stop: stop.signal })(endpoint.url)).rejects.toMatchObject({ name: 'LocalFailure' })
  })

  test('reports the time of each step', async () => {
    const { timings, durationMs } = await sender({ lookup: async () => ['127.0.0.1'] })(
      endpoint.url.replace('127.0.0.1', 'hook.test'),
    )
    expect(timings).toEqual({
      dns_ms: expect.any(Number),
      connect_ms: expect.any(Number),
      tls_ms: null,
      first_byte_ms: expect.any(Number),
    })
    expect(timings.first_byte_ms).toBeLessThanOrEqual(durationMs)
  })
})
