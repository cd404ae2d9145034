import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import type { Person } from './identity.ts'
import { consoleOrigin, headersOfConsole, startWorld, type TestTenant, type World } from './world.ts'

/** A session cookie is a credential only of a request that the console sent. Each layer alone rejects. */
let world: World
let tenant: TestTenant
let person: Person

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  person = await world.identity.signIn({ tenantId: tenant.id, roleIds: [tenant.adminRole] })
})
afterAll(() => world.stop())

const path = '/v1/payment-proxy/transactions'
type Changes = Readonly<Record<string, string | undefined>>

/** The request of the console with other headers; undefined removes a header. */
async function send(changes: Changes = {}, { method = 'get' as 'get' | 'post', url = world.url } = {}) {
  const headers = Object.entries({ ...headersOfConsole(person.value), ...changes })
  const given = Object.fromEntries(headers.filter((entry): entry is [string, string] => entry[1] !== undefined))
  const sent = request(url)[method](path).set(given)
  return method === 'post' ? sent.send({}) : sent
}

const readStatus = async (...parameters: Parameters<typeof send>) => (await send(...parameters)).status

test('the console sends its requests with the cookie', async () => {
  expect([await readStatus(), await readStatus({}, { method: 'post' })]).toEqual([200, 200])
})

describe('without a credential is a request', () => {
  test.each<[string, Changes]>([
    ['to another host, as by DNS rebinding', { Host: 'api.example.com' }],
    ['to another port of the host', { Host: 'console.example.com:8443' }],
    ['without X-Console', { 'X-Console': undefined }],
    ['with another X-Console', { 'X-Console': 'true' }],
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of another port or subdomain, which is the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['of the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['of another site that names the Origin too', { 'Sec-Fetch-Site': 'cross-site', Origin: consoleOrigin }],
    ['of an older browser from another origin', { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.example' }],
    ['of an older browser from a sandboxed frame', { 'Sec-Fetch-Site': undefined, Origin: 'null' }],
    ['without Sec-Fetch-Site and Origin', { 'Sec-Fetch-Site': undefined }],
    ['with an empty Cookie', { Cookie: '' }],
    ['with a cookie of another name', { Cookie: '__Host-sessions=x' }],
  ])('%s', async (_, changes) => {
    for (const method of ['get', 'post'] as const) {
      const reply = await send(changes, { method })
      expect([method, reply.status, reply.body.code]).toEqual([method, 401, 'invalid_credentials'])
    }
  })

  test.each([
    ['twice', (value: string) => `__Host-session=${value}; __Host-session=${value}`],
    ['twice, the other one first', (value: string) => `__Host-session=x; a=b; __Host-session=${value}`],
    ['twice, the other one last', (value: string) => `__Host-session=${value};__Host-session=`],
    ['by a name in other letters', (value: string) => `__host-session=${value}`],
    ['in quotes', (value: string) => `__Host-session="${value}"`],
  ])('that has the cookie %s', async (_, writeCookie) => {
    expect(await readStatus({ Cookie: writeCookie(person.value) })).toBe(401)
  })

  test('that has the cookie in two headers', async () => {
    const cookies = [`__Host-session=${person.value}`, `__Host-session=${person.value}`]
    const { Cookie: _, ...headers } = headersOfConsole(person.value)
    const reply = await request(world.url).get(path).set(headers).set('Cookie', cookies)
    expect(reply.status).toBe(401)
  })
})

test('an older browser names its Origin in place of Sec-Fetch-Site, other than in a GET', async () => {
  const older = { 'Sec-Fetch-Site': undefined, Origin: consoleOrigin }
  expect(await readStatus(older, { method: 'post' })).toBe(200)
})

test('cookies beside the session cookie change nothing', async () => {
  expect(await readStatus({ Cookie: `a=b; __Host-session=${person.value}; theme=dark=blue; flag` })).toBe(200)
})

test.each(['Bearer anything', 'Basic eDp5', 'x'])('Authorization: %s beside the cookie gets 400', async (value) => {
  for (const changes of [{}, { 'X-Console': undefined }]) {
    const reply = await send({ Authorization: value, ...changes })
    expect([reply.status, reply.body.code, reply.body.errors]).toEqual([
      400,
      'invalid_header',
      [{ pointer: '/headers/Authorization', detail: 'must not be given beside a session cookie' }],
    ])
  }
})

test('a valid API key beside the cookie gets 400 too, and the request reaches no service', async () => {
  let reached = 0
  world.upstream.respond((_incoming, response) => {
    reached += 1
    response.end('{}')
  })
  expect(await readStatus({ Authorization: `Bearer ${tenant.admin.bearer}`, 'Tenant-ID': tenant.id })).toBe(400)
  expect(reached).toBe(0)
})

test('a preflight gets no permission to send X-Console', async () => {
  const reply = await request(world.url)
    .options(path)
    .set({
      Host: new URL(consoleOrigin).host,
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-console',
    })
  expect(reply.status).toBe(405)
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})

test('a request whose cookie is no credential is no failed authentication: pages elsewhere cause it', async () => {
  const limits = { UNVERIFIED_REQUESTS_PER_MINUTE: '5', FAILED_AUTHENTICATIONS_PER_MINUTE: '5' }
  const { url, stop } = await world.addGateway(limits)
  for (let i = 0; i < 5; i += 1) expect(await readStatus({ 'X-Console': undefined }, { url })).toBe(401)
  const guess = { Cookie: undefined, Authorization: 'Bearer guess' }
  expect([await readStatus({ Cookie: '__Host-session=x' }, { url }), await readStatus(guess, { url })]).toEqual([
    401, 401,
  ])
  await stop()
})

test('a request whose cookie is no credential takes from the unverified allowance of its address', async () => {
  const { url, stop } = await world.addGateway({ UNVERIFIED_REQUESTS_PER_MINUTE: '1' })
  const foreign = { 'Sec-Fetch-Site': 'cross-site' }
  expect([await readStatus(foreign, { url }), await readStatus(foreign, { url })]).toEqual([401, 429])
  expect(await readStatus({}, { url })).toBe(200)
  await stop()
})

test('without CONSOLE_ORIGIN no cookie is a credential, and a cookie beside an API key is ignored', async () => {
  const { url, stop } = await world.addGateway({ CONSOLE_ORIGIN: '' })
  expect(await readStatus({}, { url })).toBe(401)
  const withKey = { Authorization: `Bearer ${tenant.admin.bearer}`, 'Tenant-ID': tenant.id }
  expect(await readStatus(withKey, { url })).toBe(200)
  await stop()
})

test('Trace-ID is required, as for other credentials', async () => {
  const reply = await send({ 'Trace-ID': undefined })
  expect([reply.status, reply.body.errors]).toEqual([400, [{ pointer: '/headers/Trace-ID', detail: 'is missing' }]])
  const traceId = randomUUID()
  expect((await send({ 'Trace-ID': traceId })).headers['trace-id']).toBe(traceId)
})

test('no cookie reaches a service, and no Set-Cookie of a service leaves an endpoint without cookies', async () => {
  const received: (string | undefined)[] = []
  world.upstream.respond((incoming, response) => {
    received.push(incoming.headers.cookie)
    response.setHeader('Set-Cookie', '__Host-session=x; Path=/; Secure')
    response.end('{}')
  })
  const reply = await send()
  expect([reply.status, reply.headers['set-cookie'], received]).toEqual([200, undefined, [undefined]])
})
