import { createServer, type Server, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test } from '@jest/globals'
import { receiver } from '@payments/testing/peers/receiver'
import { createHttpClient, type HttpClient } from '../src/http-client.ts'

const limits = { connectTimeoutMs: 20_000, responseBytesMax: 1_000 }
const closes: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

function client(options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient {
  const created = createHttpClient({ allowPrivate: true, ...options })
  closes.push(created.close)
  return created
}

const post = (from: HttpClient, url: string, signal?: AbortSignal) =>
  from.request({
    method: 'POST',
    url,
    headers: {},
    body: Buffer.from('{"amount":1}'),
    deadlineAt: performance.now() + 5_000,
    ...limits,
    ...(signal === undefined ? {} : { signal }),
  })

/** A TCP server that records every byte. */
async function tcpServer(onConnection: (socket: Socket) => void = () => {}) {
  const bytes: Buffer[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('data', (chunk) => bytes.push(chunk))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  }
  closes.push(close)
  return { port, bytes, close }
}

describe('a failure states that nothing was sent', () => {
  test('when the connection is refused', async () => {
    const { port, close } = await tcpServer()
    await close()
    expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'connect', sent: false })
  })

  test('when the name does not resolve, or to an address that is not allowed', async () => {
    const unresolved = client({ lookup: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) })
    expect(await post(unresolved, 'http://provider.example/')).toMatchObject({ failure: 'dns', sent: false })
    const blocked = client({ allowPrivate: false, lookup: async () => ['127.0.0.1'] })
    expect(await post(blocked, 'https://api.stripe.com/')).toMatchObject({ failure: 'blocked_address', sent: false })
  })

  test('when the TLS handshake fails, and no byte of the request arrives', async () => {
    const { port, bytes } = await tcpServer((socket) => socket.once('data', () => socket.end('no TLS here')))
    expect(await post(client(), `https://127.0.0.1:${port}/`)).toMatchObject({ failure: 'tls', sent: false })
    expect(Buffer.concat(bytes).includes('amount')).toBe(false)
  })

  test('when the signal was aborted before', async () => {
    const endpoint = await receiver()
    closes.push(endpoint.close)
    expect(await post(client(), endpoint.url, AbortSignal.abort())).toMatchObject({ failure: 'timeout', sent: false })
    expect(endpoint.received).toEqual([])
  })
})

describe('a failure states that a part may have been sent', () => {
  test('when the connection is closed before the response', async () => {
    const { port } = await tcpServer((socket) => socket.once('data', () => socket.destroy()))
    expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'reset', sent: true })
  })

  test('when the signal aborts the wait for the response', async () => {
    const abort = new AbortController()
    const { port } = await tcpServer((socket) => socket.once('data', () => abort.abort()))
    expect(await post(client(), `http://127.0.0.1:${port}/`, abort.signal)).toMatchObject({
      failure: 'timeout',
      sent: true,
    })
  })

  test('when the process stops during the wait for the response', async () => {
    const stop = new AbortController()
    const { port } = await tcpServer((socket) => socket.once('data', () => stop.abort()))
    const stopping = client({ stop: stop.signal })
    await expect(post(stopping, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      name: 'LocalFailure',
      sent: true,
    })
  })

  test('when a reused connection closes and the receiver refuses the next one', async () => {
    let requests = 0
    const server = await tcpServer((socket) =>
      socket.on('data', () => {
        requests += 1
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
        else void server.close()
      }),
    )
    const reusing = client()
    expect(await post(reusing, `http://127.0.0.1:${server.port}/`)).toMatchObject({ status: 200 })
    expect(await post(reusing, `http://127.0.0.1:${server.port}/`)).toMatchObject({ failure: 'connect', sent: true })
    expect(requests).toBe(2)
  })
})

test('a response says when the request was sent twice', async () => {
  let connections = 0
  const { port } = await tcpServer((socket) => {
    connections += 1
    const isFirst = connections === 1
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (isFirst && requests === 2) socket.destroy()
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
  })
  const reusing = client()
  expect(await post(reusing, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, resent: false })
  expect(await post(reusing, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, resent: true })
  expect(connections).toBe(2)
})

test.each([
  ['103 Early Hints', 10, { status: 204 }],
  ['103 Early Hints', 11, { failure: 'protocol', detail: 'more than 10 informational responses', sent: true }],
  ['100 Continue', 11, { failure: 'protocol', detail: 'more than 10 informational responses', sent: true }],
])('%s, %d times before the response', async (status, count, expected) => {
  const informational = `HTTP/1.1 ${status}\r\n\r\n`.repeat(count)
  const { port } = await tcpServer((socket) => {
    socket.once('data', () => socket.write(`${informational}HTTP/1.1 204 No Content\r\n\r\n`))
  })
  expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject(expected)
})

describe('bytes after a complete response do not change it, and the connection is not used again', () => {
  test.each([
    ['after 204', 'HTTP/1.0 204 No Content\r\n\r\nok', 204, ''],
    ['after 204, chunked', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 204, ''],
    ['a Content-Length that is too small', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!!!', 200, 'ok'],
    [
      'and the end of the connection',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok!',
      200,
      'ok',
    ],
    ['after the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n!!!', 200, 'ok'],
  ])('%s', async (_what, response, status, body) => {
    let connections = 0
    const { port } = await tcpServer((socket) => {
      connections += 1
      socket.on('data', () => socket.write(response))
    })
    const from = client()
    for (const count of [1, 2]) {
      const received = await post(from, `http://127.0.0.1:${port}/`)
      expect(received).toMatchObject({ status })
      expect('body' in received && received.body.toString()).toBe(body)
      expect(connections).toBe(count)
    }
  })
})

test('a response on a reused connection that cannot be read is a failure, and nothing is sent again', async () => {
  let requests = 0
  const { port } = await tcpServer((socket) => {
    socket.on('data', () => {
      requests += 1
      socket.write(requests === 1 ? 'HTTP/1.1 204 No Content\r\n\r\n' : 'HTTP/1.1 204 No Content\r\nno header\r\n\r\n')
    })
  })
  const from = client()
  expect(await post(from, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 204 })
  expect(await post(from, `http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'protocol', sent: true })
  expect(requests).toBe(2)
})

test('a GET has no body, and the response is cut at the limit', async () => {
  const endpoint = await receiver()
  closes.push(endpoint.close)
  endpoint.respondWith(() => ({ status: 200, body: 'x'.repeat(5_000) }))
  const response = await client().request({
    method: 'GET',
    url: `${endpoint.url}/a?b=c`,
    headers: {},
    deadlineAt: performance.now() + 5_000,
    ...limits,
  })
  expect(response).toMatchObject({ status: 200, truncated: true })
  expect('body' in response && response.body.length).toBe(1_000)
  expect(endpoint.received).toMatchObject([{ method: 'GET', path: '/a?b=c' }])
  expect(endpoint.received[0]?.headers['content-length']).toBeUndefined()
})

test('parsed URLs do not grow the heap beyond the bytes of their cache', async () => {
  const from = client({ allowPrivate: false })
  const send = (name: string) => post(from, `https://127.0.0.1/${name.padEnd(8_000, 'x')}`)
  const before = heapBytes()
  // 5 000 URLs have 40 MB, and more than twice of it with their copies.
  for (let i = 0; i < 5_000; i += 1) expect(await send(`${i}`)).toMatchObject({ failure: 'blocked_address' })
  expect(heapBytes() - before).toBeLessThan(24 * 1024 * 1024)
})

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
