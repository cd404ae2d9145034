import { createSecretKey, randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Client, client } from '../src/client/client.ts'
import { leaseMs } from '../src/database/authorization-lease.ts'
import { listen, stopServer } from '../src/process/serve.ts'
import { context, keys, library, startLibrary } from './world.ts'

let server: Server
let baseUrl: string
let calls: Client<typeof library>

beforeAll(async () => {
  ;({ server, baseUrl } = await startLibrary())
  calls = client(library, { self: 'reader', baseUrl, keys, timeoutMs: 20_000 })
})
afterAll(() => stopServer(server, 0))

test('returns the parsed reply, without fields that the contract does not name', async () => {
  const reply = await calls.echo(context(), { query: { shout: 3 }, body: { word: 'hé/llo' } })
  expect(reply).toEqual({ word: 'hé/llo', shout: 3 })
})

test('encodes path parameters, and distinguishes several success statuses', async () => {
  const now = await calls.removeBook(context(), { params: { shelf: 'now', book: 'a/b ?c' } })
  const later = await calls.removeBook(context(), { params: { shelf: 'later', book: 'x' } })
  expect([now, later]).toEqual([
    { status: 200, body: { book: 'a/b ?c' } },
    { status: 202, body: { book: 'x' } },
  ])
})

test('throws a declared problem again, unchanged', async () => {
  await expect(calls.echo(context(), { body: { word: 'x', fail: 'problem' } })).rejects.toMatchObject({
    name: 'Problem',
    code: 'shelf_full',
    status: 409,
    options: { detail: 'No space', retryAfterSeconds: 7 },
  })
})

test('throws service_unavailable without details after a bug of the service, or if it is unreachable', async () => {
  const bug = calls.echo(context(), { body: { word: 'x', fail: 'bug' } })
  await expect(bug).rejects.toMatchObject({ code: 'service_unavailable', options: { retryAfterSeconds: 1 } })
  const unreachable = client(library, { self: 'reader', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 })
  await expect(unreachable.echo(context(), { body: { word: 'x' } })).rejects.toMatchObject({
    code: 'service_unavailable',
  })
})

test('passes on why a service that responds is not available, and nothing about a bug', async () => {
  const away = calls.echo(context(), { body: { word: 'x', fail: 'unavailable' } })
  await expect(away).rejects.toMatchObject({
    code: 'service_unavailable',
    options: { detail: 'The library service is not available: The shelves are locked' },
  })
  const bug = calls.echo(context(), { body: { word: 'x', fail: 'bug' } })
  await expect(bug).rejects.toMatchObject({ options: { detail: 'The library service failed' } })
})

test('names a response that is too large', async () => {
  const reply = JSON.stringify({ word: 'x'.repeat(4 * 1024 * 1024) })
  const large = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply),
  )
  const url = `http://127.0.0.1:${await listen(large, { host: '127.0.0.1', port: 0 })}`
  const calling = client(library, { self: 'reader', baseUrl: url, keys, timeoutMs: 20_000 })
  await expect(calling.echo(context(), { body: { word: 'x' } })).rejects.toMatchObject({
    code: 'service_unavailable',
    options: { detail: 'The response of the library service has more than 4194304 bytes' },
  })
  await stopServer(large, 0)
})

test('treats a problem that the contract does not declare as a bug', async () => {
  const call = calls.echo(context(), { body: { word: 'x'.repeat(21) } })
  await expect(call).rejects.toThrow(/library sent an undeclared problem: invalid_request/)
})

test('is rejected with the key of another process', async () => {
  const stranger = new Map([['library', createSecretKey(randomBytes(32))]])
  const forged = client(library, { self: 'reader', baseUrl, keys: stranger, timeoutMs: 20_000 })
  await expect(forged.echo(context(), { body: { word: 'x' } })).rejects.toThrow(/invalid_credentials/)
})

test('has only the endpoints whose contract lists the process', () => {
  expect(Object.keys(client(library, { self: 'reader', baseUrl, keys, timeoutMs: 20_000 }))).toHaveLength(4)
  expect(client(library, { self: 'stranger', baseUrl, keys, timeoutMs: 20_000 })).toEqual({})
})

test.each(['done', 'problem', 'bug'])(
  'a response of an endpoint that changes authorization waits for the leases: %s',
  async (reader) => {
    const sentAt = performance.now()
    await calls.blockReader(context(), { params: { reader } }).catch(() => {})
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(leaseMs * 1.02 + 1)
  },
)

describe('of a failing service', () => {
  const count = JSON.stringify({ books: 7 })
  let failing: Server
  afterEach(() => stopServer(failing, 0))

  async function startService(listener: RequestListener, timeoutMs = 10_000) {
    failing = createServer({ keepAliveTimeout: 60_000 }, listener)
    const url = `http://127.0.0.1:${await listen(failing, { host: '127.0.0.1', port: 0 })}`
    const { count: read } = client(library, { self: 'reader', baseUrl: url, keys, timeoutMs })
    return () => read(context(), {})
  }

  const failures: [string, RequestListener][] = [
    ['does not respond', () => {}],
    [
      'does not end its response',
      (_, response) => {
        response.write('{')
        const timer = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
    ['fails', (_, response) => void response.writeHead(500).end('{}')],
    ['responds with too many bytes', (_, response) => void response.end(`"${'x'.repeat(4 * 1024 * 1024)}"`)],
    ['closes the connection', (request) => void request.socket.destroy()],
    [
      'truncates its response',
      (request, response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('{', () => request.socket.destroy())
      },
    ],
  ]

  test.each(failures)('throws service_unavailable within the time-out when the service %s', async (_, listener) => {
    const read = await startService(listener, 300)
    const startedAt = performance.now()
    const problem = await read().catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect((problem as Problem).code).toBe('service_unavailable')
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('repeats a GET once, on a new connection, when the service closes every reused connection', async () => {
    const used = new Set<Socket>()
    const waiting: (() => void)[] = []
    let requests = 0
    const read = await startService((request, response) => {
      requests += 1
      if (used.has(request.socket)) return void request.socket.resetAndDestroy()
      used.add(request.socket)
      waiting.push(() => response.setHeader('Content-Type', 'application/json').end(count))
      if (requests !== 1) for (const respond of waiting.splice(0)) respond()
    })
    await Promise.all([read(), read()])
    expect(await read()).toEqual({ books: 7 })
    expect(requests).toBe(4)
  })

  test('repeats a GET no second time', async () => {
    let requests = 0
    const read = await startService((request, response) => {
      requests += 1
      if (requests > 1) request.socket.resetAndDestroy()
      else response.setHeader('Content-Type', 'application/json').end(count)
    })
    await read()
    await expect(read()).rejects.toBeInstanceOf(Problem)
    expect(requests).toBe(3)
  })
})
