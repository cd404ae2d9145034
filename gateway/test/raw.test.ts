import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sendRaw, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
let other: TestTenant
let reached: { url: string; headers: string[] }[]

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  other = await world.tenant()
})
beforeEach(() => {
  reached = []
  world.upstream.answer((request, response) => {
    reached.push({ url: request.url ?? '', headers: request.rawHeaders })
    request.resume().on('end', () => response.end('{}'))
  })
})
afterAll(() => world.stop())

const target = '/v1/payment-proxy/transactions'

/** A good request with `lines` among its headers. */
const requestWith = (lines: readonly string[], { method = 'GET', path = target, body = '' } = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    'Connection: close',
    `Authorization: Bearer ${tenant.admin.bearer}`,
    `Tenant-ID: ${tenant.id}`,
    `Trace-ID: ${randomUUID()}`,
    ...lines,
    '',
    body,
  ].join('\r\n')

const send = (...parameters: Parameters<typeof requestWith>) => sendRaw(world.port, requestWith(...parameters))

/** The tenant in the assertion that reached the service. */
function tenantReached(): unknown {
  const headers = reached[0]?.headers ?? []
  const assertion = headers[headers.findIndex((name) => name.toLowerCase() === 'internal-assertion') + 1] ?? ''
  return JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8')).tenant_id
}

describe('what the parser refuses is a problem with a trace id, and reaches no service', () => {
  const unreadable: Record<string, [string[], { method?: string; body?: string }?]> = {
    'a folded header': [['X-Folded: a', ' b']],
    'a space before the colon': [['Tenant-ID : x']],
    'a NUL in a value': [['X-Nul: a\0b']],
    'Content-Length and Transfer-Encoding together': [
      ['Content-Length: 3', 'Transfer-Encoding: chunked'],
      { method: 'POST', body: '0\r\n\r\n' },
    ],
    'two Content-Lengths': [['Content-Length: 2', 'Content-Length: 2'], { method: 'POST', body: '{}' }],
    'two Transfer-Encodings': [
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
      { method: 'POST', body: '0\r\n\r\n' },
    ],
    'a chunk size that is no number': [
      ['Transfer-Encoding: chunked'],
      { method: 'POST', body: 'zz\r\n{}\r\n0\r\n\r\n' },
    ],
  }

  test.each(Object.keys(unreadable))('%s', async (name) => {
    const answer = await send(...(unreadable[name] ?? [[]]))
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/\r\nTrace-ID: [0-9a-f-]{36}\r\n/)
    expect(reached).toEqual([])
  })

  test('headers of more than 16 KiB: 431', async () => {
    const answer = await send([`X-Long: ${'a'.repeat(16 * 1024)}`])
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toContain('"code":"headers_too_large"')
  })
})

describe('no header of a client changes who it is', () => {
  const attempts: Record<string, () => string[]> = {
    'an assertion of its own': () => ['Internal-Assertion: eyJhbGciOiJub25lIn0.e30.'],
    'an underscore for the hyphen': () => [`Tenant_ID: ${other.id}`, `TENANT_ID: ${other.id}`],
    'another case': () => [`X-Tenant-ID: ${other.id}`],
    'Connection naming the identity headers': () => ['Connection: Tenant-ID, Authorization, Internal-Assertion'],
    'forwarding headers': () => [
      'X-Forwarded-For: 10.0.0.1',
      'Forwarded: for=10.0.0.1',
      'X-Original-URL: /internal/tenants',
    ],
    'a method override': () => ['X-HTTP-Method-Override: DELETE'],
    cookies: () => [`Cookie: tenant-id=${other.id}`],
  }

  test.each(Object.keys(attempts))('%s', async (name) => {
    const answer = await send(attempts[name]?.() ?? [])
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(reached).toHaveLength(1)
    expect(tenantReached()).toBe(tenant.id)
    const names = reached[0]?.headers.filter((_header, i) => i % 2 === 0).map((header) => header.toLowerCase())
    expect(names?.sort()).toEqual(['connection', 'host', 'internal-assertion'])
    expect(reached[0]?.headers.join()).not.toContain(other.id)
  })

  test('the Tenant-ID given twice, once for each tenant, is refused', async () => {
    const answer = await send([`tenant-id: ${other.id}`])
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(reached).toEqual([])
  })
})

describe('the service reads the target that the gateway read', () => {
  test('byte for byte', async () => {
    const paths = [
      `${target}/..`,
      `${target}/%2e%2e`,
      `${target}/a%2Fb`,
      `${target}/a\\b`,
      `${target}?a=%zz&b=[1]{2}|"'`,
    ]
    for (const path of paths) await send([], { path })
    expect(reached.map(({ url }) => url)).toEqual(paths)
  })

  test('and none in absolute form, with a fragment, or with more segments than any route has', async () => {
    for (const path of [`http://a${target}`, `${target}#x`, `/v1${'/x'.repeat(100)}`, '*']) {
      expect(await send([], { path })).toMatch(/^HTTP\/1\.1 404 /)
    }
    expect(reached).toEqual([])
  })
})

test('a request smuggled in the body of another is not taken for one', async () => {
  const smuggled = 'GET /v1/payment-proxy/transactions/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  const answer = await send([`Content-Length: ${smuggled.length}`], { body: smuggled })
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(reached.map(({ url }) => url)).toEqual([target])
})

test('two requests down one connection are two, each with its own answer', async () => {
  const first = requestWith([], { path: `${target}/1` }).replace('Connection: close\r\n', '')
  const answer = await sendRaw(world.port, first + requestWith([], { path: `${target}/2` }))
  expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
  expect(reached.map(({ url }) => url)).toEqual([`${target}/1`, `${target}/2`])
})

test('a request of HTTP/1.1 without a Host is refused, with a trace id like any other', async () => {
  const answer = await sendRaw(world.port, requestWith([]).replace('Host: a\r\n', ''))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('{"pointer":"/headers/Host","detail":"is missing"}')
  expect(answer).toMatch(/\r\nTrace-ID: [0-9a-f-]{36}\r\n/)
})

test('an Expect that means nothing is ignored', async () => {
  expect(await send(['Expect: miracles'])).toMatch(/^HTTP\/1\.1 200 /)
})
