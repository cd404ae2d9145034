import { randomBytes, randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { createFailedAuthentications } from '../src/limits/failed-authentications.ts'
import { createSharedCounters } from '../src/limits/shared-counters.ts'
import { credentialHeaders, sendRaw, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
let reached: number

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
beforeEach(() => {
  reached = 0
  world.upstream.respond((request, response) => {
    reached += 1
    request.resume().on('end', () => response.end('{}'))
  })
})
afterAll(() => world.stop())

const path = '/v1/payment-proxy/transactions'
const bodyBytesMax = 256 * 1024

/** Sends a body and, unlike most clients, reads a response that arrives before the body was sent. */
function post(body: Buffer, headers: OutgoingHttpHeaders): Promise<{ status: number; code: string; traceId: string }> {
  return new Promise((resolve, reject) => {
    const all = { ...credentialHeaders(tenant.admin), ...headers }
    const sent = httpRequest(`${world.url}${path}`, { method: 'POST', headers: all, agent: false })
    sent.on('error', reject)
    sent.on('response', (response: IncomingMessage) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk))
      response.on('end', () => {
        sent.destroy()
        const traceId = String(response.headers['trace-id'])
        resolve({ status: Number(response.statusCode), code: JSON.parse(text).code, traceId })
      })
    })
    sent.end(body)
  })
}

describe('a body', () => {
  test('of 256 KiB passes, announced or in chunks', async () => {
    const body = randomBytes(bodyBytesMax)
    expect(await post(body, { 'Content-Length': body.length })).toMatchObject({ status: 200 })
    expect(await post(body, { 'Transfer-Encoding': 'chunked' })).toMatchObject({ status: 200 })
    expect(reached).toBe(2)
  })

  test.each([
    ['announced', { 'Content-Length': bodyBytesMax + 1 }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('of one byte more, %s, is 413 and reaches no service', async (_name, headers) => {
    const traceId = randomUUID()
    const reply = await post(randomBytes(bodyBytesMax + 1), { ...headers, 'Trace-ID': traceId })
    expect(reply).toEqual({ status: 413, code: 'payload_too_large', traceId })
    expect(reached).toBe(0)
  })

  test('of far more is rejected while it arrives, and the client can read the response', async () => {
    const headers = Object.entries(credentialHeaders(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n${headers.join('')}\r\n`
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    expect(await sendRaw(world.port, head, ...Array<string>(5).fill(chunk))).toMatch(/^HTTP\/1\.1 413 /)
    expect(reached).toBe(0)
  })

  test('with a Content-Length beyond the limit is rejected before it is sent', async () => {
    const headers = Object.entries(credentialHeaders(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 999999999999\r\n`
    expect(await sendRaw(world.port, `${head}${headers.join('')}\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('without a valid credential is not read', async () => {
    const reply = await post(randomBytes(bodyBytesMax + 1), {
      Authorization: 'Bearer x',
      'Transfer-Encoding': 'chunked',
    })
    expect(reply).toMatchObject({ status: 401 })
  })

  test('in another transfer coding than chunked is 415', async () => {
    const headers = Object.entries(credentialHeaders(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n`
    expect(await sendRaw(world.port, `${head}${headers.join('')}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 415 /)
    expect(reached).toBe(0)
  })

  test('that continues after its rejection does not keep the connection open for long', async () => {
    const headers = Object.entries(credentialHeaders(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytesMax + 1}\r\n${headers.join('')}\r\n`
    const startedAt = performance.now()
    expect(await sendRaw(world.port, head, 'and then silence')).toMatch(/^HTTP\/1\.1 413 /)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })
})

describe('failed authentications of an address', () => {
  test('block the address with 429 beyond the limit per minute, valid credentials included', async () => {
    const strict = await startWorld({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '3' } })
    const { admin } = await strict.tenant()
    const statuses = []
    for (let i = 0; i < 5; i += 1) {
      await strict.send('get', '/nowhere', admin).expect(404)
      statuses.push((await strict.send('get', path, { ...admin, bearer: 'guess' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    const reply = await strict.send('get', path, admin)
    expect([reply.status, reply.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(50)
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60)
    await strict.stop()
  })

  test('are requests with a wrong credential, not requests without one', async () => {
    const strict = await startWorld({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '2' } })
    const send = async (headers: Record<string, string>) => (await fetch(`${strict.url}${path}`, { headers })).status
    for (let i = 0; i < 5; i += 1) expect(await send({ 'Tenant-ID': randomUUID() })).toBe(401)
    const refusedCookie = { Cookie: '__Host-session=guess' }
    const wrong = { Authorization: 'Basic eDp5' }
    const statuses: number[] = []
    for (const headers of [refusedCookie, wrong, wrong, {}]) statuses.push(await send(headers))
    expect(statuses).toEqual([401, 401, 401, 429])
    await strict.stop()
  })

  test('are counted per address in bounded memory: the least recently used address is evicted', async () => {
    const failures = createFailedAuthentications({ perMinuteMax: 1, shared: alone, addressesMax: 2 })
    for (const address of ['a', 'b', 'c']) await failures.count(address, context)
    expect(['a', 'b', 'c', 'd'].map((address) => failures.blockedForSeconds(address) !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('expire after a minute', async () => {
    let now = 0
    const failures = createFailedAuthentications({ perMinuteMax: 1, shared: alone, now: () => now })
    await failures.count('a', context)
    now = 59_999
    expect(failures.blockedForSeconds('a')).toBeCloseTo(0.001)
    now = 60_000
    expect(failures.blockedForSeconds('a')).toBeUndefined()
    expect(await failures.count('a', context)).toBeUndefined()
  })

  test('of the time of a report are added to the reported ones', async () => {
    const reports: ((total: { failures: number; endsInSeconds: number }) => void)[] = []
    const shared = { failedAuthentications: () => new Promise<any>((resolve) => void reports.push(resolve)) }
    const failures = createFailedAuthentications({ perMinuteMax: 12, shared })
    void failures.count('a', context)
    for (let i = 0; i < 2; i += 1) expect(await failures.count('a', context)).toBeUndefined()
    reports[0]?.({ failures: 10, endsInSeconds: 60 })
    await new Promise(setImmediate)
    expect(reports).toHaveLength(2)
    expect(failures.blockedForSeconds('a')).toBeGreaterThan(0)
  })
})

/** The shared counters are unavailable. */
const alone = { failedAuthentications: async () => undefined }
const context = { traceId: randomUUID() }

describe('two replicas', () => {
  type Store = Parameters<typeof createSharedCounters>[0]['store']
  const ignore: (error: unknown) => void = () => {}
  const replica = (perMinuteMax: number, onFailure = ignore, store: Store = world.apiKey.client) =>
    createFailedAuthentications({
      perMinuteMax,
      shared: createSharedCounters({ store, revealsPerMinute: 5, onFailure }),
    })

  test('count the failures of an address together', async () => {
    const [one, two] = [replica(4), replica(4)]
    for (let i = 0; i < 4; i += 1) expect(await one.count('192.0.2.1', context)).toBeUndefined()
    expect(one.blockedForSeconds('192.0.2.1')).toBeGreaterThan(50)
    expect(two.blockedForSeconds('192.0.2.1')).toBeUndefined()
    expect(await two.count('192.0.2.1', context)).toBeGreaterThan(50)
    expect(two.blockedForSeconds('192.0.2.1')).toBeGreaterThan(50)
    expect(await two.count('192.0.2.2', context)).toBeUndefined()
  })

  test('count concurrent failures together', async () => {
    const [one, two] = [replica(20), replica(20)]
    await Promise.all(Array.from({ length: 15 }, () => one.count('192.0.2.3', context)))
    const rejected = []
    for (let i = 0; i < 8; i += 1) rejected.push((await two.count('192.0.2.3', context)) !== undefined)
    expect(rejected).toEqual([false, false, false, false, false, true, true, true])
  })

  test('count alone while the shared counters are unavailable, without a delay per failure', async () => {
    const errors: unknown[] = []
    const dead = client(apiKey, { self: 'gateway', baseUrl: 'http://127.0.0.1:1', keys: world.edges, timeoutMs: 500 })
    const [one, two] = [replica(2, (error) => errors.push(error), dead), replica(2, () => {}, dead)]
    for (let i = 0; i < 2; i += 1) expect(await one.count('192.0.2.4', context)).toBeUndefined()
    expect(await one.count('192.0.2.4', context)).toBeGreaterThan(50)
    expect(await two.count('192.0.2.4', context)).toBeUndefined()
    expect(errors).toHaveLength(1)
  })
})
