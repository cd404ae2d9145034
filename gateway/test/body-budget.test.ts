import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createBodyBudget } from '../src/limits/body-budget.ts'
import type { RouteTable } from '../src/route-table.ts'
import { countConnections, path } from './forwarding.ts'
import { type Credential, credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

const mebibyte = 1024 * 1024
const kibibyte = 1024
const actor = (id: string) => ({ type: 'api_key' as const, id })

describe('the bytes of bodies in memory', () => {
  const budget = () => createBodyBudget({ credentialBytesMax: 100, tenantBytesMax: 150, credentialsBytesMax: 200 })
  const readStatus = (problem: { status: number; options: { retryAfterSeconds?: number } } | undefined) =>
    problem && [problem.status, problem.options.retryAfterSeconds]

  test('are limited per credential and per tenant with 429, in total with 503, each with Retry-After', () => {
    const bodies = budget()
    const first = bodies.reserve({ tenantId: 'a', actor: actor('1') })
    expect(first.grow(100)).toBeUndefined()
    expect(readStatus(first.grow(1))).toEqual([429, 1])
    const second = bodies.reserve({ tenantId: 'a', actor: actor('2') })
    expect(readStatus(second.grow(51))).toEqual([429, 1])
    expect(second.grow(50)).toBeUndefined()
    const other = bodies.reserve({ tenantId: 'b', actor: actor('1') })
    expect(readStatus(other.grow(51))).toEqual([503, 1])
    expect(other.grow(50)).toBeUndefined()
    expect(bodies.bytes()).toBe(200)
  })

  test('are released once, and rejected bytes are not counted', () => {
    const bodies = budget()
    const one = bodies.reserve({ tenantId: 'a', actor: actor('1') })
    const two = bodies.reserve({ tenantId: 'a', actor: actor('1') })
    expect([one.grow(60), one.grow(50)?.status, two.grow(40)]).toEqual([undefined, 429, undefined])
    one.release()
    one.release()
    expect(bodies.bytes()).toBe(40)
    expect(two.grow(60)).toBeUndefined()
    two.release()
    expect(bodies.bytes()).toBe(0)
  })

  test('are counted separately for users with one name in two tenants', () => {
    const bodies = budget()
    const user = { type: 'user' as const, id: 'alice' }
    for (const tenantId of ['a', 'b']) expect(bodies.reserve({ tenantId, actor: user }).grow(100)).toBeUndefined()
  })
})

describe('a gateway', () => {
  let world: World
  let tenant: TestTenant
  let other: TestTenant
  let sockets: Socket[] = []
  let bodyTimeoutMs: number

  beforeAll(async () => {
    world = await startWorld({
      alter: (deps) => {
        const bodies = createBodyBudget({
          credentialBytesMax: 300 * kibibyte,
          tenantBytesMax: 500 * kibibyte,
          credentialsBytesMax: 700 * kibibyte,
        })
        const match: RouteTable['match'] = (...request) => {
          const found = deps.routes.match(...request)
          if (found?.kind !== 'route') return found
          return { kind: 'route', route: { ...found.route, endpoint: { ...found.route.endpoint, bodyTimeoutMs } } }
        }
        return { ...deps, routes: { match }, limits: { ...deps.limits, bodies } }
      },
    })
    tenant = await world.tenant()
    other = await world.tenant()
    world.upstream.respond((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
  })
  beforeEach(() => {
    bodyTimeoutMs = 60_000
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
    await until(() => (world.reading() === 0 ? true : undefined))
  })
  afterAll(() => world.stop())

  /** Sends a body of `kib` KiB without its end: it announces one byte more, or has no last chunk. */
  async function hold(credential: Credential, kib: number, isChunked = false) {
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${kib * kibibyte + 1}`
    const headers = Object.entries(credentialHeaders(credential)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${length}\r\n${headers.join('')}\r\n`
    const data = 'x'.repeat(kib * kibibyte)
    const before = world.reading()
    let reply = ''
    const socket = connect(world.port, '127.0.0.1', () =>
      socket.write(head + (isChunked ? `${data.length.toString(16)}\r\n${data}\r\n` : data)),
    )
    sockets.push(socket)
    socket.on('error', () => 'the gateway hangs up on who does not finish')
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    await until(() => (reply !== '' || world.reading() >= before + kib * kibibyte ? true : undefined))
    return { socket, status: () => /^HTTP\/1\.1 (\d+)/.exec(reply)?.[1], reply: () => reply }
  }

  test.each([
    ['announced', false],
    ['in chunks', true],
  ])('rejects a body %s beyond the limit of its credential, its tenant or the process', async (_name, isChunked) => {
    const second = await tenant.keyWith(['transaction:CreateTransaction'])
    expect((await hold(tenant.admin, 200, isChunked)).status()).toBeUndefined()
    const own = await hold(tenant.admin, 150, isChunked)
    expect(own.reply()).toMatch(/^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*"code":"rate_limited"/)
    expect((await hold(second, 200, isChunked)).status()).toBeUndefined()
    expect((await hold(await tenant.keyWith(['transaction:CreateTransaction']), 150, isChunked)).status()).toBe('429')
    expect((await hold(other.admin, 200, isChunked)).status()).toBeUndefined()
    const third = await world.tenant()
    const last = await hold(third.admin, 150, isChunked)
    expect(last.reply()).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*"code":"service_unavailable"/)
    await world.send('get', path, third.admin).expect(200)
  })

  test('responds 408 to a body that is unfinished at the deadline, calls no service, and closes the connection', async () => {
    bodyTimeoutMs = 1_000
    let calls = 0
    world.upstream.respond((_incoming, response) => {
      calls += 1
      response.end('{}')
    })
    for (const isChunked of [false, true]) {
      const startedAt = performance.now()
      const held = await hold(tenant.admin, 100, isChunked)
      await until(() => held.status())
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(bodyTimeoutMs - 50)
      expect(held.reply()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
      await until(() => held.socket.destroyed || undefined)
    }
    expect([calls, world.reading()]).toEqual([0, 0])
  })

  test('releases the bytes regardless of how a request ends', async () => {
    const post = (credential: Credential) => world.send('post', path, credential)
    const text = 'x'.repeat(100 * kibibyte)
    world.upstream.respond((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
    await post(tenant.admin).type('json').send(text).expect(200)
    world.upstream.respond((incoming) => incoming.socket.destroy())
    await post(tenant.admin).type('json').send(text).expect(503)
    world.upstream.respond((incoming, response) => incoming.resume().on('end', () => response.writeHead(401).end('{}')))
    await post(tenant.admin).type('json').send(text).expect(500)
    const left = await hold(tenant.admin, 100)
    left.socket.destroy()
    await until(() => (world.reading() === 0 ? true : undefined))
    expect(world.forwarding.calls.size).toBe(0)
  })

  test('keeps the bytes reserved while the service processes a request whose client has left', async () => {
    let finish: (() => void) | undefined
    world.upstream.respond((incoming, response) =>
      incoming.resume().on('end', () => (finish = () => response.end('{}'))),
    )
    const traceId = randomUUID()
    const { socket } = await hold({ ...tenant.admin, traceId }, 100)
    socket.write('x')
    const release = await until(() => finish)
    const connections = await countConnections(world.server)
    socket.destroy()
    await until(async () => ((await countConnections(world.server)) < connections ? true : undefined))
    expect(world.reading()).toBe(100 * kibibyte + 1)
    release()
    expect(await world.findAuditRecord(traceId)).toMatchObject({ status: 200, client_gone: true })
    await until(() => (world.reading() === 0 ? true : undefined))
  })
})

test('an announced length beyond a limit is rejected, and reserves nothing', () => {
  const bodies = createBodyBudget()
  const sender = { tenantId: randomUUID(), actor: { type: 'api_key', id: randomUUID() } }
  const first = bodies.reserve(sender)
  expect(first.grow(3.9 * mebibyte)).toBeUndefined()
  const second = bodies.reserve(sender)
  expect([second.check(mebibyte / 20), second.check(mebibyte / 4)?.code]).toEqual([undefined, 'rate_limited'])
  expect(bodies.bytes()).toBe(3.9 * mebibyte)
  first.release()
  expect(second.check(mebibyte / 4)).toBeUndefined()
})

test('an announced length reserves nothing, and an address has a bounded number of unfinished bodies in each group', () => {
  const bodies = createBodyBudget()
  const from = (address: string, group: 'pages' | 'webhooks' = 'pages') => bodies.reserve({ address, group })
  const unfinished = Array.from({ length: 64 }, () => from('192.0.2.1'))
  expect(bodies.bytes()).toBe(0)
  expect(() => from('192.0.2.1')).toThrow('The address has reached its limit of 64 unfinished request bodies')
  from('192.0.2.1', 'webhooks').release()
  from('192.0.2.2').release()
  unfinished[0]?.finish()
  unfinished[0]?.finish()
  from('192.0.2.1')
  expect(() => from('192.0.2.1')).toThrow('unfinished')
  for (const body of unfinished) body.release()
  for (let i = 0; i < 63; i += 1) from('192.0.2.1')
  expect(() => from('192.0.2.1')).toThrow('unfinished')
})

test('bodies without a credential are limited per address and per group, and take nothing from tenants', () => {
  const bodies = createBodyBudget()
  const fill = (address: string, group: 'pages' | 'webhooks') => {
    const body = bodies.reserve({ address, group })
    while (body.grow(mebibyte / 4) === undefined);
    body.finish()
    return body.grow(mebibyte / 4)
  }
  expect(fill('192.0.2.1', 'webhooks')?.toBody('').detail).toBe(
    'The address has reached its limit of 1 MiB of request bodies in flight',
  )
  for (let i = 2; i < 100; i += 1) fill(`192.0.2.${i}`, 'webhooks')
  expect([bodies.bytes() / mebibyte, fill('198.51.100.1', 'webhooks')?.status]).toEqual([32, 503])
  expect(fill('198.51.100.1', 'pages')?.status).toBe(429)
  expect(bodies.reserve({ tenantId: 'a', actor: actor('1') }).grow(mebibyte)).toBeUndefined()
})

test('a process holds at most 96 MiB of bodies of credentials, a tenant 16 and a credential 4', () => {
  const bodies = createBodyBudget()
  const fill = (tenantId: string, id: string) => {
    const body = bodies.reserve({ tenantId, actor: actor(id) })
    let bytes = 0
    while (body.grow(mebibyte) === undefined) bytes += mebibyte
    return bytes / mebibyte
  }
  expect([1, 2, 3, 4, 5].map((id) => fill('a', String(id)))).toEqual([4, 4, 4, 4, 0])
  for (let i = 0; i < 40; i += 1) for (const id of ['1', '2', '3', '4']) fill(`b${i}`, id)
  expect(bodies.bytes() / mebibyte).toBe(96)
})
