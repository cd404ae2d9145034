import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion/assertion'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import request from 'supertest'
import { consoleOrigin, startWorld, until, type World } from './world.ts'

/** The pages of the sign-in: what identity learns of a browser, which forms reach it, and where they are served. */
let world: World
let received: IncomingMessage[] = []

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  received = []
  world.upstream.respond((incoming, response) => {
    received.push(incoming)
    incoming.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Sign in</p>'))
  })
})

const consoleHost = new URL(consoleOrigin).host
const form = { 'Sec-Fetch-Site': 'same-origin' }
const get = (path: string, headers: Record<string, string> = {}, url = world.url) =>
  request(url)
    .get(path)
    .set({ Host: consoleHost, ...headers })
    .redirects(0)
const post = (path: string, headers: Record<string, string> = {}) =>
  request(world.url)
    .post(path)
    .set({ Host: consoleHost, ...headers })
    .type('form')
    .send('a=b')
    .redirects(0)

function callerIn({ headers, method = '', url = '' }: IncomingMessage) {
  const key = world.edges.get('identity')
  if (key === undefined) throw new Error('no key')
  const token = String(headers['internal-assertion'])
  return verifyAssertion(token, 'identity', new Map([['gateway', key]]), { method, path: url })
}

const browserSeen = () => received.map((incoming) => callerIn(incoming)?.browser)

describe('a page with cookies', () => {
  test('learns address and user agent of the browser, and the declared cookies, in the assertion only', async () => {
    await get('/session/sign-in', {
      Cookie: 'a=b; __Host-session=one; theme=dark; __Host-sign-in=two',
      'User-Agent': 'x'.repeat(300),
    }).expect(200)
    expect(browserSeen()).toEqual([
      {
        address: '127.0.0.1',
        userAgent: 'x'.repeat(256),
        cookies: { '__Host-session': 'one', '__Host-sign-in': 'two' },
      },
    ])
    expect(received[0] && callerIn(received[0])).toMatchObject({ tenantId: null, actor: { type: 'anonymous' } })
    for (const dropped of ['cookie', 'user-agent']) expect(received[0]?.headers).not.toHaveProperty(dropped)
  })

  test('gets no cookie that was sent twice, is too long, or has another name', async () => {
    await get('/session/sign-in', { Cookie: '__Host-session=one; __Host-session=two; __host-sign-in=x' })
    await get('/session/sign-in', { Cookie: `__Host-session=${'x'.repeat(513)}; __Host-sign-in=two` })
    await get('/session/sign-in')
    expect(browserSeen().map((browser) => browser?.cookies)).toEqual([{}, { '__Host-sign-in': 'two' }, {}])
  })

  test('sets its cookies', async () => {
    const cookies = ['__Host-session=x; Path=/; Secure; HttpOnly; SameSite=Strict', '__Host-sign-in=; Max-Age=0']
    world.upstream.respond((_incoming, response) => {
      response.writeHead(303, { 'Set-Cookie': cookies, Location: '/console' }).end()
    })
    const reply = await get('/session/callback/acme?code=x&state=y').expect(303)
    expect([reply.headers['set-cookie'], reply.headers['location']]).toEqual([cookies, '/console'])
  })

  test('needs no X-Console, and is open to navigations from other sites by GET', async () => {
    await get('/session/callback/acme?code=x&state=y', { 'Sec-Fetch-Site': 'cross-site' }).expect(200)
    expect(received).toHaveLength(1)
  })
})

test('a page without cookies learns nothing of the browser', async () => {
  await get('/session/signed-out', { Cookie: '__Host-session=one' }).expect(200)
  expect(browserSeen()).toEqual([undefined])
})

describe('a form of a page with cookies', () => {
  test.each<[string, Record<string, string>]>([
    ['of the console', form],
    ['of the console in an older browser', { Origin: consoleOrigin }],
  ])('%s reaches identity', async (_, headers) => {
    await post('/session/sign-out', headers).expect(200)
    expect(received).toHaveLength(1)
  })

  test.each<[string, Record<string, string>]>([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of another port', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another site that names our Origin', { 'Sec-Fetch-Site': 'cross-site', Origin: consoleOrigin }],
    ['of another origin in an older browser', { Origin: 'https://evil.example' }],
    ['of a sandboxed frame in an older browser', { Origin: 'null' }],
    ['of a program', {}],
  ])('%s gets a page with 403, and reaches no service', async (_, headers) => {
    for (const path of ['/session/sign-out', '/session/accept', '/session/switch-tenant']) {
      const reply = await post(path, headers)
      expect([reply.status, reply.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
      expect(reply.text).toContain('The request came from another site')
      expect(await world.findAuditRecord(String(reply.headers['trace-id']))).toMatchObject({
        status: 403,
        code: 'cross_site_request',
      })
    }
    expect(received).toEqual([])
  })

  test('a back-channel logout comes from the sign-in provider, without cookies', async () => {
    await post('/session/back-channel-logout').expect(200)
    expect(received).toHaveLength(1)
  })
})

describe('in place of a problem, a person who signs in sees a page', () => {
  test.each([
    [503, 'service_unavailable', 'The sign-in is not available'],
    [400, 'invalid_request', 'The request cannot be read'],
    [429, 'rate_limited', 'Too many requests'],
  ] as const)('of status %i', async (status, code, title) => {
    const body = JSON.stringify(new Problem(commonProblems[code], { detail: 'Internals' }).toBody(randomUUID()))
    world.upstream.respond((incoming, response) => {
      const headers = { 'Content-Type': 'application/problem+json' }
      incoming.resume().on('end', () => response.writeHead(status, headers).end(body))
    })
    const reply = await get('/session/callback/acme?code=x')
    expect([reply.status, reply.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(reply.text).toContain(`<h1>${title}</h1>`)
    expect(reply.text).not.toMatch(/payment|Internals/i)
  })

  test('for another method, and a payer sees another one', async () => {
    const reply = await request(world.url).put('/session/callback/acme').set('Host', consoleHost)
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD'])
    expect(reply.text).toContain('sign in again')
    expect((await request(world.url).put('/pay/x')).text).toContain('Open the link again')
  })
})

test('the code of a callback is in no audit record and no log line', async () => {
  const from = world.lines.length
  const secrets = [randomUUID(), randomUUID(), randomUUID()]
  const [code = '', state = '', cookie = ''] = secrets
  const traceIds: string[] = []
  for (const path of [
    '/session/callback',
    '/session/callback/',
    '/session/callback/acme',
    '/session/callback/acme/x',
  ]) {
    for (const method of ['get', 'post', 'put', 'head'] as const) {
      const traceId = randomUUID()
      traceIds.push(traceId)
      const headers = { Host: consoleHost, Cookie: `__Host-sign-in=${cookie}`, 'Trace-ID': traceId }
      await request(world.url)[method](`${path}?code=${code}&state=${state}`).set(headers).redirects(0)
    }
  }
  for (const traceId of traceIds) {
    await world.findAuditRecord(traceId)
    await until(() => world.lines.slice(from).find((line) => line['trace_id'] === traceId))
  }
  const bytes = readdirSync(world.auditDirectory).map((name) =>
    readFileSync(join(world.auditDirectory, name), 'latin1'),
  )
  const written = [...bytes, JSON.stringify(world.lines)].join('\n')
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
  expect(written).toContain('/session/callback/{provider_id}')
})

test('the list of sign-in providers takes from the allowance of pages, not of provider webhooks', async () => {
  const { url, stop } = await world.addGateway({
    UNVERIFIED_REQUESTS_PER_MINUTE: '1',
    PROVIDER_WEBHOOKS_PER_MINUTE: '1000',
  })
  const statuses = []
  for (let i = 0; i < 2; i += 1) statuses.push((await get('/v1/identity/providers', {}, url)).status)
  expect(statuses).toEqual([200, 429])
  await stop()
})

test('a back-channel logout takes from the allowance of webhooks, not of pages', async () => {
  const { url, stop } = await world.addGateway({
    UNVERIFIED_REQUESTS_PER_MINUTE: '1',
    PROVIDER_WEBHOOKS_PER_MINUTE: '2',
  })
  const send = async () => (await request(url).post('/session/back-channel-logout').set('Host', consoleHost)).status
  expect([await send(), await send(), await send()]).toEqual([200, 200, 429])
  await stop()
})

describe('the host of the console', () => {
  const ofConsole = ['/session/sign-in', '/session/signed-out', '/console', '/console/users']
  const ofOthers = ['/pay/abc', '/docs/api', '/docs/api/api-key', '/docs/docs.js', '/docs/search.js']
  const shared = ['/docs', '/docs/style.css', '/problems', '/v1/openapi.json', '/healthz']
  const served = async (url: string, paths: readonly string[], host: string) => {
    const statuses = await Promise.all(paths.map(async (path) => (await get(path, { Host: host }, url)).status))
    return paths.filter((_, i) => statuses[i] === 200)
  }
  const signInPages = ofConsole.filter((path) => path.startsWith('/session/'))

  test('outside dev serves sign-in and console, and no other host does', async () => {
    const { url, stop } = await world.addGateway({ ENVIRONMENT: 'prod', TRUSTED_PROXIES: '0' })
    expect(await served(url, signInPages, consoleHost)).toEqual(signInPages)
    expect(await served(url, ofConsole, 'api.example.com')).toEqual([])
    await stop()
  })

  test('outside dev serves neither the pay page nor the forms of the documentation, which other hosts do', async () => {
    const { url, stop } = await world.addGateway({ ENVIRONMENT: 'prod', TRUSTED_PROXIES: '0' })
    expect(await served(url, ofOthers, 'api.example.com')).toEqual(ofOthers)
    expect(await served(url, ofOthers, consoleHost)).toEqual([])
    for (const host of [consoleHost, 'api.example.com']) expect(await served(url, shared, host)).toEqual(shared)
    await stop()
  })

  test('outside dev redirects the documentation to the origin of the API', async () => {
    const origins = { ENVIRONMENT: 'prod', TRUSTED_PROXIES: '0', API_ORIGIN: 'https://api.example.com' }
    const { url, stop } = await world.addGateway(origins)
    for (const path of ['/docs', '/docs/webhooks?a=b', '/docs/api/api-key', '/docs/search.js']) {
      const { status, headers } = await get(path, { Host: consoleHost }, url)
      expect([status, headers['location']]).toEqual([302, `https://api.example.com${path}`])
    }
    expect(await served(url, ['/docs', '/docs/api'], 'api.example.com')).toEqual(['/docs', '/docs/api'])
    expect((await get('/docsx', { Host: consoleHost }, url)).status).toBe(404)
    await stop()
  })

  test('in dev is any host', async () => {
    for (const host of [consoleHost, '127.0.0.1']) {
      const paths = [...signInPages, ...ofOthers]
      expect(await served(world.url, paths, host)).toEqual(paths)
    }
  })

  test('without CONSOLE_ORIGIN does not exist', async () => {
    const { url, stop } = await world.addGateway({ CONSOLE_ORIGIN: '' })
    expect(await served(url, ofConsole, consoleHost)).toEqual([])
    expect(await served(url, ofOthers, consoleHost)).toEqual(ofOthers)
    await stop()
  })
})
