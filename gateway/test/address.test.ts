import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { callerAddress } from '../src/limits/client-ip.ts'
import { credentialHeaders, sendRaw, startWorld, type TestTenant, type World } from './world.ts'

const from = (remoteAddress: string, ...headers: string[]) =>
  ({
    socket: { remoteAddress },
    rawHeaders: headers.flatMap((value) => ['X-Forwarded-For', value]),
  }) as unknown as IncomingMessage

describe("the caller's address", () => {
  test('is the address of the connection without a trusted proxy, regardless of headers', () => {
    expect(callerAddress(from('192.0.2.1', '10.0.0.1'), 0)).toBe('192.0.2.1')
    expect(callerAddress(from('::ffff:192.0.2.1'), 0)).toBe('192.0.2.1')
    expect(callerAddress(from('2001:db8::1'), 0)).toBe('2001:db8::1')
  })

  test('is the address that the outermost trusted proxy saw; addresses left of it are ignored', () => {
    const request = from('10.0.0.9', '1.1.1.1, 203.0.113.7, 10.0.0.2')
    expect([1, 2].map((proxies) => callerAddress(request, proxies))).toEqual(['10.0.0.2', '203.0.113.7'])
  })

  test('is read from several X-Forwarded-For headers in order', () => {
    const request = from('10.0.0.9', '1.1.1.1', '203.0.113.7', ' 10.0.0.2 ')
    expect([1, 2, 3].map((proxies) => callerAddress(request, proxies))).toEqual(['10.0.0.2', '203.0.113.7', '1.1.1.1'])
  })

  test.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:DB8:0::7]:4711', '2001:db8::7'],
    ['2001:db8:0:0::7', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
  ])('%s is %s', (given, address) => {
    expect(callerAddress(from('10.0.0.9', given), 1)).toBe(address)
  })

  test.each(['', 'unknown', '203.0.113', '203.0.113.07', '203.0.113.7/8', '_hidden', '[::1', 'a, '])(
    'is unknown when its place contains %j',
    (given) => {
      expect(callerAddress(from('10.0.0.9', given), 1)).toBeUndefined()
    },
  )

  test('is unknown when the request passed fewer proxies than configured', () => {
    expect(callerAddress(from('10.0.0.9', '203.0.113.7'), 2)).toBeUndefined()
    expect(callerAddress(from('10.0.0.9'), 1)).toBeUndefined()
  })
})

const path = '/v1/payment-proxy/transactions'

async function restrictKey(world: World, cidrs: readonly string[]) {
  const tenant: TestTenant = await world.tenant()
  const key = await tenant.keyWith(['transaction:ReadTransaction'])
  const change = world.send('patch', `/v1/api-key/keys/${key.id}`, tenant.admin).set('X-Forwarded-For', '198.51.100.9')
  await change.send({ allowed_cidrs: cidrs }).expect(200)
  return key
}

describe('behind one proxy', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ env: { TRUSTED_PROXIES: '1', FAILED_AUTHENTICATIONS_PER_MINUTE: '2' } })
    world.upstream.respond((_request, response) => void response.end('{}'))
  })
  afterAll(() => world.stop())

  test('allowed_cidrs and the audit record use the address that the proxy saw, not a header of the caller', async () => {
    const key = await restrictKey(world, ['203.0.113.0/24', '2001:db8::/48'])
    const statusFor = async (forwardedFor: string, traceId = randomUUID()) => {
      const { status, body } = await world.send('get', path, { ...key, traceId }).set('X-Forwarded-For', forwardedFor)
      return [status, body.code, (await world.findAuditRecord(traceId)).ip]
    }
    expect(await statusFor('203.0.113.7')).toEqual([200, undefined, '203.0.113.7'])
    expect(await statusFor('2001:DB8::0:1')).toEqual([200, undefined, '2001:db8::1'])
    expect(await statusFor('203.0.113.7, 198.51.100.1')).toEqual([403, 'address_not_allowed', '198.51.100.1'])
    expect(await statusFor('2001:db8:1::1')).toEqual([403, 'address_not_allowed', '2001:db8:1::1'])
  })

  test('a block contains no address of the other family: ::/0 no IPv4 address', async () => {
    const [six, four] = [await restrictKey(world, ['::/0']), await restrictKey(world, ['0.0.0.0/0'])]
    const status = async (key: Awaited<ReturnType<typeof restrictKey>>, address: string) =>
      (await world.send('get', path, key).set('X-Forwarded-For', address)).status
    expect([await status(six, '2001:db8::1'), await status(six, '203.0.113.7')]).toEqual([200, 403])
    expect([await status(four, '2001:db8::1'), await status(four, '203.0.113.7')]).toEqual([403, 200])
    expect([await status(six, '::ffff:203.0.113.7'), await status(four, '::ffff:203.0.113.7')]).toEqual([403, 200])
  })

  test('only the header of the proxy counts, regardless of headers of the caller', async () => {
    const key = await restrictKey(world, ['203.0.113.0/24'])
    const lines = Object.entries(credentialHeaders(key)).map(([name, value]) => `${name}: ${value}`)
    const spoofed = ['X-Forwarded-For: 203.0.113.7', 'x-forwarded-for: 198.51.100.1', 'Connection: close']
    const reply = await sendRaw(
      world.port,
      [`GET ${path} HTTP/1.1`, 'Host: a', ...lines, ...spoofed, '', ''].join('\r\n'),
    )
    expect(reply).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('rejects a request without a readable address before authentication', async () => {
    const { admin } = await world.tenant()
    for (const forwardedFor of ['', 'unknown']) {
      const reply = await world.send('get', path, admin).set('X-Forwarded-For', forwardedFor).expect(400)
      expect([reply.body.code, reply.body.errors[0].pointer]).toEqual(['invalid_header', '/headers/X-Forwarded-For'])
    }
    await world.send('get', path, { bearer: 'guess' }).expect(400)
    await request(world.url).get('/healthz').expect(200)
  })

  test('failed authentications count for the address that the proxy saw, not for a forged address', async () => {
    const { admin } = await world.tenant()
    const guess = async (forwardedFor: string) =>
      (await world.send('get', path, { ...admin, bearer: 'guess' }).set('X-Forwarded-For', forwardedFor)).status
    const statuses = []
    for (const invented of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) statuses.push(await guess(`${invented}, 198.51.100.77`))
    expect(statuses).toEqual([401, 401, 429])
    await world.send('get', path, admin).set('X-Forwarded-For', '1.1.1.1').expect(200)
  })

  test('addresses of one IPv6 /64 share a limit, addresses of two /64 do not', async () => {
    const guess = async (forwardedFor: string) =>
      (await world.send('get', path, { bearer: 'guess' }).set('X-Forwarded-For', forwardedFor)).status
    const statuses = []
    for (const host of ['2001:db8:5::1', '2001:db8:5::2', '2001:db8:5:0:ffff::3', '2001:db8:5:1::1']) {
      statuses.push(await guess(host))
    }
    expect(statuses).toEqual([401, 401, 429, 401])
  })
})

test('without a trusted proxy, a forged X-Forwarded-For does not pass allowed_cidrs', async () => {
  const world = await startWorld()
  world.upstream.respond((_request, response) => void response.end('{}'))
  const outside = await restrictKey(world, ['203.0.113.0/24'])
  const inside = await restrictKey(world, ['127.0.0.0/8'])
  const statuses: number[] = []
  for (const key of [outside, inside]) {
    statuses.push((await world.send('get', path, key).set('X-Forwarded-For', '203.0.113.7')).status)
  }
  expect(statuses).toEqual([403, 200])
  await world.stop()
})
