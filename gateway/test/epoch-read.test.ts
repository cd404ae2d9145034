import { createSecretKey, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion'
import { listen, stopServer } from '@payments/chassis/serve'
import { Problem } from '@payments/contracts/problem'
import { asLongAgain, epochRead } from '../src/authorization/version-reader.ts'
import { startWorld, type World } from './world.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

describe('of a real owner', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  const read = (name: 'api-key' | 'rbac', baseUrl: string) => {
    const key = world.edges.get(name)
    if (key === undefined) throw new Error(name)
    return epochRead({ service: name, baseUrl, key, timeoutMs: 2_000 })
  }

  test('it reads the epoch, and what has changed since', async () => {
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

describe('of an owner in trouble', () => {
  const key = createSecretKey(randomBytes(32))
  const epoch = { incarnation: 'one', epoch: 1, invalidated: [] }

  /** Answers as told, at a port of its own. */
  async function owner(listener: RequestListener) {
    const server = createServer({ keepAliveTimeout: 60_000 }, listener)
    const baseUrl = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
    return {
      read: epochRead({ service: 'rbac', baseUrl, key, timeoutMs: 300 }),
      stop: () => stopServer(server, 0),
    }
  }

  const problems: [string, RequestListener][] = [
    ['is silent', () => {}],
    [
      'does not come to an end',
      (_, response) => {
        response.write('{')
        const trickle = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(trickle))
      },
    ],
    ['fails', (_, response) => void response.writeHead(500).end('{}')],
    ['refuses us', (_, response) => void response.writeHead(401).end(JSON.stringify(epoch))],
    ['says something else', (_, response) => void response.end('{"epoch":"7"}')],
    ['says nothing that can be read', (_, response) => void response.end('<html>')],
    [
      'says too much',
      (_, response) => void response.end(JSON.stringify({ ...epoch, incarnation: 'x'.repeat(2 ** 20) })),
    ],
    ['hangs up', (request) => void request.socket.destroy()],
    [
      'breaks off',
      (request, response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('{', () => request.socket.destroy())
      },
    ],
  ]

  test.each(problems)('that %s it knows nothing, soon', async (_, listener) => {
    const { read, stop } = await owner(listener)
    const startedAt = performance.now()
    const problem = await read(1).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect((problem as Problem).code).toBe('service_unavailable')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    await stop()
  })

  test('it asks again where the kept connection was closed behind its back, once', async () => {
    let asked = 0
    const { read, stop } = await owner((request, response) => {
      asked += 1
      if (asked > 1 && asked !== 3) request.socket.resetAndDestroy()
      else response.end(JSON.stringify(epoch))
    })
    await read(1)
    expect(await read(1)).toEqual(epoch)
    expect(asked).toBe(3)
    await expect(read(1)).rejects.toBeInstanceOf(Problem)
    expect(asked).toBe(5)
    await stop()
  })

  test('its assertions are of the question and of the moment, also where the clock has jumped', async () => {
    const { read, stop } = await owner((request, response) => {
      const assertion = String(request.headers['internal-assertion'])
      const path = String(request.url)
      const said = verifyAssertion(assertion, 'rbac', new Map([['gateway', key]]), { method: 'GET', path })
      response.writeHead(said?.actor.id === 'gateway' ? 200 : 401).end(JSON.stringify(epoch))
    })
    for (const since of [undefined, 1, 1, 2]) expect(await read(since)).toEqual(epoch)
    const now = Date.now()
    for (const away of [3_600_000, -3_600_000]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + away)
      expect(await read(2)).toEqual(epoch)
    }
    await stop()
  })
})

test('an owner is left alone for as long again as it took, within bounds', async () => {
  expect(asLongAgain(0.9)).toBeUndefined()
  for (const [tookMs, leastMs] of [
    [4, 3],
    [60_000, 9],
  ] as const) {
    const from = performance.now()
    await asLongAgain(tookMs)
    const ms = performance.now() - from
    expect(ms).toBeGreaterThanOrEqual(leastMs)
    expect(ms).toBeLessThan(2_000)
  }
})
