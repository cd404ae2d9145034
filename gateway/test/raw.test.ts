import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { credentialHeaders, sendRaw, startWorld, type TestTenant, type World } from './world.ts'

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
  world.upstream.respond((request, response) => {
    reached.push({ url: request.url ?? '', headers: request.rawHeaders })
    request.resume().on('end', () => response.end('{}'))
  })
})
afterAll(() => world.stop())

const target = '/v1/payment-proxy/transactions'

/** A valid request with `lines` among its headers. */
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

describe('a request that the parser rejects gets a problem with a trace id and reaches no service', () => {
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
    'a Content-Length with a sign': [['Content-Length: +2'], { method: 'POST', body: '{}' }],
    'a Content-Length that is no decimal': [['Content-Length: 0x2'], { method: 'POST', body: '{}' }],
    'a Content-Length of two values': [['Content-Length: 2, 2'], { method: 'POST', body: '{}' }],
    'a Transfer-Encoding that does not end in chunked': [
      ['Transfer-Encoding: chunked, identity'],
      { method: 'POST', body: '0\r\n\r\n' },
    ],
    'a carriage return alone between two headers': [[`X-A: b\rTenant-ID: ${randomUUID()}`]],
    'a header without a name': [[': x']],
    'a header name with a space in it': [['Tenant ID: x']],
    'a chunk longer than its size': [['Transfer-Encoding: chunked'], { method: 'POST', body: '1\r\n{}\r\n0\r\n\r\n' }],
    'a chunk size that is no number': [
      ['Transfer-Encoding: chunked'],
      { method: 'POST', body: 'zz\r\n{}\r\n0\r\n\r\n' },
    ],
  }

  test.each(Object.keys(unreadable))('%s', async (name) => {
    const reply = await send(...(unreadable[name] ?? [[]]))
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(reply).toMatch(/content-type: application\/problem\+json/i)
    expect(reply).toMatch(/\r\nTrace-ID: [0-9a-f-]{36}\r\n/)
    expect(reached).toEqual([])
  })

  test.each([16, 17, 64, 80])('headers of more than %i KiB: 431', async (kib) => {
    const reply = await send([`X-Long: ${'a'.repeat(kib * 1024)}`])
    expect(reply).toMatch(/^HTTP\/1\.1 431 /)
    expect(reply).toContain('"code":"headers_too_large"')
    expect(reached).toEqual([])
  })

  test.each([
    ['of more than 16 KiB', `X-Long: ${'a'.repeat(17 * 1024)}`, 431],
    ['with a space before a colon', 'Tenant-ID : x', 400],
  ])('headers %s of a browser that pays: a page', async (_fault, line, status) => {
    const page = await send([line], { path: '/pay/some-code' })
    expect(page).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(page).toMatch(/\r\ncontent-type: text\/html; charset=utf-8\r\n[\s\S]*\r\n\r\n<!doctype html>/i)
    expect(page).toMatch(/\r\ncontent-security-policy: default-src 'none'/i)
    expect(page).not.toContain('some-code')
    expect(reached).toEqual([])
  })

  test('a long path of a page: 431 as a page, and no record of the path', async () => {
    const page = await send([], { path: `/pay/${'s'.repeat(17 * 1024)}` })
    expect(page).toMatch(/^HTTP\/1\.1 431 [\s\S]*<!doctype html>/)
    const record = await world.findAuditRecord(String(/\r\nTrace-ID: (\S+)/i.exec(page)?.[1]))
    expect(record).toMatchObject({ status: 431, code: 'headers_too_large', path: '/pay/{code}' })
  })

  test('an invalid character in the name of a header is named', async () => {
    expect(await send(['Tenant ID: x'])).toContain('"code":"invalid_header"')
    expect(await send(['Content-Length: +2'], { method: 'POST', body: '{}' })).toContain('"code":"invalid_request"')
  })

  test('only a 405 has the header Allow', async () => {
    const connectReply = await sendRaw(world.port, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(connectReply).toMatch(/^HTTP\/1\.1 405 /)
    expect(connectReply).toContain('\r\nAllow: \r\n')
    expect(await sendRaw(world.port, 'nonsense\r\n\r\n')).not.toContain('\r\nAllow')
  })
})

describe('no header of a client changes its identity', () => {
  const attempts: Record<string, () => string[]> = {
    'a forged assertion': () => ['Internal-Assertion: eyJhbGciOiJub25lIn0.e30.'],
    'an underscore in place of the hyphen': () => [`Tenant_ID: ${other.id}`, `TENANT_ID: ${other.id}`],
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
    const reply = await send(attempts[name]?.() ?? [])
    expect(reply).toMatch(/^HTTP\/1\.1 200 /)
    expect(reached).toHaveLength(1)
    expect(tenantReached()).toBe(tenant.id)
    const names = reached[0]?.headers.filter((_header, i) => i % 2 === 0).map((header) => header.toLowerCase())
    expect(names?.sort()).toEqual(['connection', 'host', 'internal-assertion'])
    expect(reached[0]?.headers.join()).not.toContain(other.id)
  })

  test('rejects two Tenant-ID headers of two tenants', async () => {
    const reply = await send([`tenant-id: ${other.id}`])
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(reached).toEqual([])
  })
})

test('the service receives the target of the gateway byte for byte', async () => {
  const paths = [`${target}/a%20b`, `${target}/%41;v=1,2`, `${target}/a:b@c`, `${target}?a=%5C%00&b=/?&b=(2)'`]
  for (const path of paths) await send([], { path })
  expect(reached.map(({ url }) => url)).toEqual(paths)
})

test('a path with more segments than any route is unknown', async () => {
  expect(await send([], { path: `/v1${'/x'.repeat(100)}` })).toMatch(/^HTTP\/1\.1 404 /)
  expect(reached).toEqual([])
})

test('does not parse a request inside the body of another request', async () => {
  const smuggled = 'GET /v1/payment-proxy/transactions/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  const reply = await send([`Content-Length: ${smuggled.length}`], { body: smuggled })
  expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(reached.map(({ url }) => url)).toEqual([target])
})

test('two requests on one connection get two responses', async () => {
  const first = requestWith([], { path: `${target}/1` }).replace('Connection: close\r\n', '')
  const reply = await sendRaw(world.port, first + requestWith([], { path: `${target}/2` }))
  expect(reply.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
  expect(reached.map(({ url }) => url)).toEqual([`${target}/1`, `${target}/2`])
})

test('rejects HTTP/1.1 without a Host, with a trace id', async () => {
  const reply = await sendRaw(world.port, requestWith([]).replace('Host: a\r\n', ''))
  expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  expect(reply).toContain('{"pointer":"/headers/Host","detail":"is missing"}')
  expect(reply).toMatch(/\r\nTrace-ID: [0-9a-f-]{36}\r\n/)
})

test('rejects a repeated single header, regardless of the number of headers between', async () => {
  const others = Array.from({ length: 2_500 }, () => 'a:')
  const reply = await send([...others, `Tenant-ID: ${other.id}`])
  expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  expect(reply).toContain('{"pointer":"/headers/Tenant-ID","detail":"must be given once"}')
  expect(reached).toEqual([])
})

test('ignores the trailers of a body', async () => {
  const trailers = `Tenant-ID: ${other.id}\r\nInternal-Assertion: x\r\nAuthorization: Bearer x\r\n`
  const reply = await send(['Transfer-Encoding: chunked', 'Trailer: Tenant-ID'], {
    method: 'POST',
    body: `2\r\n{}\r\n0\r\n${trailers}\r\n`,
  })
  expect(reply).toMatch(/^HTTP\/1\.1 200 /)
  expect(tenantReached()).toBe(tenant.id)
  expect(reached[0]?.headers.join()).not.toContain(other.id)
})

test('HTTP/1.0 requires the same credentials as HTTP/1.1', async () => {
  const reply = await sendRaw(world.port, requestWith([`Tenant_ID: ${other.id}`]).replace('HTTP/1.1', 'HTTP/1.0'))
  expect(reply).toMatch(/^HTTP\/1\.1 200 /)
  expect(tenantReached()).toBe(tenant.id)
})

describe('a slow client', () => {
  let hasty: World
  const limits = { headersTimeout: 300, requestTimeout: 600, keepAliveTimeout: 300, connectionsCheckingInterval: 50 }
  beforeAll(async () => {
    hasty = await startWorld({ limits })
  })
  afterAll(() => hasty.stop())

  /** Writes the beginning, then single bytes until the connection closes. Resolves with the received bytes. */
  const trickle = (beginning: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const socket = connect(hasty.port, '127.0.0.1', () => {
        socket.write(beginning)
        timer = setInterval(() => socket.writable && socket.write('a'), 50)
      })
      let reply = ''
      socket.setTimeout(30_000, () => socket.destroy(new Error(`still open: ${reply}`)))
      socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
      // A byte that is written after the server has closed the connection.
      const closed = ['ECONNRESET', 'EPIPE']
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => !closed.includes(code) && reject(new Error(code)))
      socket.on('close', () => {
        clearInterval(timer)
        resolve(reply)
      })
    })

  test('whose headers do not end is disconnected with 408', async () => {
    const reply = await trickle(`GET ${target} HTTP/1.1\r\nHost: a\r\nX-Slow: `)
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
    expect(reply).toContain('"code":"request_timeout"')
  })

  test('whose body does not end is disconnected, and no request reaches a service', async () => {
    const { admin } = await hasty.tenant()
    let calls = 0
    hasty.upstream.respond((_request, response) => {
      calls += 1
      response.end('{}')
    })
    const headers = Object.entries(credentialHeaders(admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n${headers.join('')}\r\n`
    expect(await trickle(head)).toMatch(/^$|^HTTP\/1\.1 408 /)
    expect(calls).toBe(0)
  })

  test('that sends nothing is disconnected', async () => {
    const reply = await sendRaw(hasty.port, '')
    expect(reply).toMatch(/^$|^HTTP\/1\.1 408 /)
  })

  test('that leaves its connection idle is disconnected', async () => {
    const startedAt = performance.now()
    const reply = await sendRaw(hasty.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 200 /)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })
})

test('ignores an unknown Expect', async () => {
  expect(await send(['Expect: miracles'])).toMatch(/^HTTP\/1\.1 200 /)
})

describe('Strict-Transport-Security', () => {
  const responses = [
    ['of a page of a service', 'GET /pay/x HTTP/1.1\r\nHost: a\r\n'],
    ['of the documentation', 'GET /docs HTTP/1.1\r\nHost: a\r\n'],
    ['of the API', `GET ${target} HTTP/1.1\r\nHost: a\r\n`],
    ['of an unknown path', 'GET /nowhere HTTP/1.1\r\nHost: a\r\n'],
    ['to a request that cannot be parsed', 'GET / HTTP/1.1\r\nTenant-ID : x\r\n'],
  ] as const
  const readField = (reply: string) => /\r\nstrict-transport-security: ([^\r]*)/i.exec(reply)?.[1]

  test('is in every response where it is configured, and in none in dev', async () => {
    const { port, stop } = await world.addGateway({ STRICT_TRANSPORT_SECURITY_SECONDS: '600' })
    for (const [name, head] of responses) {
      const request = `${head}Connection: close\r\n\r\n`
      expect([name, readField(await sendRaw(port, request))]).toEqual([name, 'max-age=600'])
      expect([name, readField(await sendRaw(world.port, request))]).toEqual([name, undefined])
    }
    await stop()
  })
})
