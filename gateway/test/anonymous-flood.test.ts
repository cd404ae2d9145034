import { randomBytes, randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, until, type World } from './world.ts'

/** Four attackers, a payer, and the servers of a payment provider. Linux routes all of 127.0.0.0/8 to itself. */
const attackers = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14']
const payer = '127.0.0.21'
const provider = '127.0.0.22'
const payPage = () => `/pay/${randomBytes(24).toString('base64url')}`
const webhook = () => `/v1/payment-proxy/gateway-webhooks/${randomUUID()}`

let world: World
let tenant: TestTenant
let sockets: Socket[] = []
let hanging: ServerResponse[] = []

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
beforeEach(() => {
  world.upstream.respond((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
})
afterEach(async () => {
  for (const response of hanging.splice(0)) response.end('{}')
  for (const socket of sockets.splice(0)) socket.destroy()
  await until(() => (world.reading() === 0 ? true : undefined))
})
afterAll(() => world.stop())

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function post(localAddress: string, path: string, port = world.port) {
  return new Promise<Reply>((resolve, reject) => {
    const options = {
      port,
      localAddress,
      method: 'POST',
      path,
      headers: { 'content-length': 3 },
      agent: false as const,
    }
    const sent = httpRequest(options, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', reject)
    sent.end('a=b')
  })
}

/** Announces a body, sends its first byte, and waits. */
function hold(localAddress: string, path: string, bytes: number) {
  const held = { reply: '' }
  const socket = connect({ port: world.port, host: '127.0.0.1', localAddress }, () =>
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\nx`),
  )
  sockets.push(socket)
  socket.on('error', () => 'the gateway ends what is not finished')
  socket.on('data', (chunk) => (held.reply += chunk.toString('latin1')))
  return held
}

describe('unfinished bodies of four addresses', () => {
  test.each([
    ['pay pages', payPage, 4096],
    ['webhooks', webhook, 65_536],
  ])('at %s delay no payer, no provider and no tenant, and reserve what has arrived', async (_group, path, bytes) => {
    const held = attackers.flatMap((address) => Array.from({ length: 65 }, () => hold(address, path(), bytes)))
    const rejected = () => held.filter(({ reply }) => reply.startsWith('HTTP/1.1 429 ')).length
    await until(() => (world.reading() === 256 && rejected() === 4 ? true : undefined))
    for (const [address, target] of [
      [payer, payPage()],
      [provider, webhook()],
    ] as const) {
      expect((await post(address, target)).status).toBe(200)
    }
    await world.send('post', '/v1/payment-proxy/transactions', tenant.admin).type('json').send('{}').expect(200)
  })

  test('beyond the limit name the address, not a tenant, and leave the other group of its address', async () => {
    for (let i = 0; i < 64; i += 1) hold(provider, payPage(), 4096)
    await until(() => (world.reading() === 64 ? true : undefined))
    for (let i = 0; i < 64; i += 1) hold(provider, webhook(), 4096)
    await until(() => (world.reading() === 128 ? true : undefined))
    const { status, headers, body } = await post(provider, webhook())
    expect([status, headers['retry-after'], JSON.parse(body).detail]).toEqual([
      429,
      '1',
      'The address has reached its limit of 64 unfinished request bodies',
    ])
  })

  test('at a pay page have 4 KiB and three seconds', async () => {
    const large = hold(payer, payPage(), 4097)
    await until(() => (large.reply.startsWith('HTTP/1.1 413 ') ? true : undefined))
    const startedAt = performance.now()
    const late = hold(payer, payPage(), 4096)
    await until(() => (late.reply.startsWith('HTTP/1.1 408 ') ? true : undefined))
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_900)
  })
})

describe('requests of four addresses whose service does not respond', () => {
  test('leave permits to other payers, to providers and to tenants of that service', async () => {
    world.upstream.respond((_incoming, response) => void hanging.push(response))
    const flood = attackers.flatMap((address) => Array.from({ length: 132 }, () => post(address, payPage())))
    await until(() => (hanging.length === 4 * 32 ? true : undefined))
    world.upstream.respond((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
    expect((await post(payer, payPage())).status).toBe(200)
    expect((await post(provider, webhook())).status).toBe(200)
    await world.send('get', '/v1/invite-to-pay/codes', tenant.admin).expect(200)
    for (const response of hanging.splice(0)) response.end('{}')
    await Promise.all(flood)
  })

  test('take turns with other addresses, and take no permit of a tenant, while every anonymous permit is in use', async () => {
    const env = {
      UPSTREAM_ANONYMOUS_REQUESTS_MAX: '4',
      UPSTREAM_REQUESTS_PER_ADDRESS_MAX: '1',
      UPSTREAM_REQUESTS_MAX: '1',
    }
    const { port, stop, metrics } = await world.addGateway(env)
    const order: string[] = []
    world.upstream.respond((incoming, response) => {
      order.push(incoming.url ?? '')
      hanging.push(response)
    })
    const last = payPage()
    const flood = attackers.flatMap((address) => Array.from({ length: 10 }, () => post(address, payPage(), port)))
    const waiting = async () =>
      Number(
        /gateway_upstream_waiting\{[^}]*upstream="invite-to-pay"[^}]*\} (\d+)/.exec(
          await metrics.registry.metrics(),
        )?.[1],
      )
    await until(async () => (hanging.length === 4 && (await waiting()) === 36 ? true : undefined))
    const paid = post(payer, last, port)
    await until(async () => ((await waiting()) === 37 ? true : undefined))
    const url = `http://127.0.0.1:${port}`
    const own = fetch(`${url}/v1/invite-to-pay/codes`, {
      headers: { authorization: `Bearer ${tenant.admin.bearer}`, 'tenant-id': tenant.id, 'trace-id': randomUUID() },
    })
    await until(() => (order.includes('/v1/invite-to-pay/codes') ? true : undefined))
    world.upstream.respond((incoming, response) => {
      order.push(incoming.url ?? '')
      incoming.resume().on('end', () => response.end('{}'))
    })
    for (const response of hanging.splice(0)) response.end('{}')
    expect([(await paid).status, (await own).status]).toEqual([200, 200])
    expect(order.indexOf(last)).toBeLessThan(5 + 1 + 8)
    await Promise.all(flood)
    await stop()
  })
})

test('webhooks of providers have a rate per address of their own, and 429 with Retry-After beyond it', async () => {
  const { port, stop } = await world.addGateway({
    UNVERIFIED_REQUESTS_PER_MINUTE: '2',
    PROVIDER_WEBHOOKS_PER_MINUTE: '5',
  })
  const statuses: number[] = []
  for (let i = 0; i < 5; i += 1) statuses.push((await post(provider, webhook(), port)).status)
  const beyond = await post(provider, webhook(), port)
  expect([statuses, beyond.status]).toEqual([[200, 200, 200, 200, 200], 429])
  expect(Number(beyond.headers['retry-after'])).toBeGreaterThan(0)
  const pages: number[] = []
  for (let i = 0; i < 3; i += 1) pages.push((await post(provider, payPage(), port)).status)
  expect(pages).toEqual([200, 200, 429])
  expect((await post(payer, webhook(), port)).status).toBe(200)
  await stop()
})

test('a body in chunks of one byte is refused after a thousand, and its connection is closed', async () => {
  let forwarded = 0
  world.upstream.respond((incoming, response) => {
    forwarded += 1
    incoming.resume().on('end', () => response.end('{}'))
  })
  const socket = connect({ port: world.port, host: '127.0.0.1', localAddress: attackers[0] })
  sockets.push(socket)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`POST ${webhook()} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
  socket.write('1\r\nx\r\n'.repeat(3_000))
  await closed
  expect(received).toMatch(/^HTTP\/1\.1 413 /)
  expect(forwarded).toBe(0)
  expect(world.reading()).toBe(0)
})
