import { createSecretKey, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion'
import { listen, stopServer } from '@payments/chassis/serve'
import { Problem } from '@payments/contracts/problem'
import { createVersionReader, pauseForLastDuration } from '../src/authorization/version-reader.ts'
import { startWorld, type World } from './world.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

describe('of a real authorization source', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  const read = (name: 'api-key' | 'rbac', baseUrl: string) => {
    const key = world.edges.get(name)
    if (key === undefined) throw new Error(name)
    return createVersionReader({ service: name, baseUrl, key, timeoutMs: 2_000 })
  }

  test('reads the epoch and the changes since', async () => {
    const tenant = await world.tenant()
    const readRbac = read('rbac', world.rbac.url)
    const first = await readRbac(undefined)
    expect([first.epoch > 0, first.invalidated]).toEqual([true, null])
    expect(await readRbac(first.epoch)).toEqual({ ...first, invalidated: [] })
    await tenant.suspend()
    expect(await readRbac(first.epoch)).toEqual({
      ...first,
      epoch: first.epoch + 1,
      invalidated: [{ kind: 'tenant', id: tenant.id }],
    })
    expect((await read('api-key', world.apiKey.url)(undefined)).invalidated).toBeNull()
  })
})

describe('of a failing authorization source', () => {
  const key = createSecretKey(randomBytes(32))
  const epoch = { incarnation: 'one', epoch: 1, invalidated: [] }

  /** A source with this listener, on a port of its own. */
  async function startSource(listener: RequestListener) {
    const server = createServer({ keepAliveTimeout: 60_000 }, listener)
    const baseUrl = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
    return {
      read: createVersionReader({ service: 'rbac', baseUrl, key, timeoutMs: 300 }),
      stop: () => stopServer(server, 0),
    }
  }

  const problems: [string, RequestListener][] = [
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
    ['rejects the assertion', (_, response) => void response.writeHead(401).end(JSON.stringify(epoch))],
    ['responds with another shape', (_, response) => void response.end('{"epoch":"7"}')],
    ['responds without JSON', (_, response) => void response.end('<html>')],
    [
      'responds with too many bytes',
      (_, response) => void response.end(JSON.stringify({ ...epoch, incarnation: 'x'.repeat(2 ** 20) })),
    ],
    ['closes the connection', (request) => void request.socket.destroy()],
    [
      'truncates its response',
      (request, response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('{', () => request.socket.destroy())
      },
    ],
  ]

  test.each(problems)('rejects within the time-out when the source %s', async (_, listener) => {
    const { read, stop } = await startSource(listener)
    const startedAt = performance.now()
    const problem = await read(1).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect((problem as Problem).code).toBe('service_unavailable')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    await stop()
  })

  test('retries once when the source closed the reused connection', async () => {
    let requests = 0
    const { read, stop } = await startSource((request, response) => {
      requests += 1
      if (requests > 1 && requests !== 3) request.socket.resetAndDestroy()
      else response.end(JSON.stringify(epoch))
    })
    await read(1)
    expect(await read(1)).toEqual(epoch)
    expect(requests).toBe(3)
    await expect(read(1)).rejects.toBeInstanceOf(Problem)
    expect(requests).toBe(5)
    await stop()
  })

  test('signs each request for its target and time, also after a clock jump', async () => {
    const { read, stop } = await startSource((request, response) => {
      const assertion = String(request.headers['internal-assertion'])
      const path = String(request.url)
      const claims = verifyAssertion(assertion, 'rbac', new Map([['gateway', key]]), { method: 'GET', path })
      response.writeHead(claims?.actor.id === 'gateway' ? 200 : 401).end(JSON.stringify(epoch))
    })
    for (const since of [undefined, 1, 1, 2]) expect(await read(since)).toEqual(epoch)
    const now = Date.now()
    for (const jumpMs of [3_600_000, -3_600_000]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + jumpMs)
      expect(await read(2)).toEqual(epoch)
    }
    await stop()
  })
})

test('the pause is as long as the last read, within bounds', async () => {
  expect(pauseForLastDuration(0.9)).toBeUndefined()
  for (const [durationMs, leastMs] of [
    [4, 3],
    [60_000, 9],
  ] as const) {
    const from = performance.now()
    await pauseForLastDuration(durationMs)
    const ms = performance.now() - from
    expect(ms).toBeGreaterThanOrEqual(leastMs)
    expect(ms).toBeLessThan(2_000)
  }
})
