import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from '@jest/globals'
import { contract, type PageReply } from '@payments/contracts/grammar/contract'
import { pino } from 'pino'
import { z } from 'zod'
import { assertionHeader, signAssertion } from '../src/assertion/assertion.ts'
import type { Browser } from '../src/base/caller.ts'
import { createMetrics } from '../src/process/metrics.ts'
import { createAppServer, listen, stopServer } from '../src/process/serve.ts'
import { createServiceApp } from '../src/request/app.ts'
import { createPagePaths } from '../src/request/page.ts'

const gallery = contract({
  service: 'gallery',
  description: 'A test service.',
  problems: {},
  events: {},
  endpoints: {
    showPicture: {
      method: 'GET',
      path: '/picture/{secret}',
      audience: 'public',
      summary: 'Show a picture.',
      params: z.strictObject({ secret: z.string().max(20) }),
      rawBody: { headers: ['accept-language'] },
      cookies: ['__Host-visit', 'plain'],
      page: [200, 303, 410],
      replies: {},
    },
    sendPicture: {
      method: 'POST',
      path: '/picture/{secret}',
      audience: 'public',
      summary: 'Send a picture.',
      params: z.strictObject({ secret: z.string().max(20) }),
      rawBody: { headers: [] },
      page: [200],
      replies: {},
    },
  },
})

const key = createSecretKey(randomBytes(32))
let stop = async () => {}
afterEach(() => stop())

async function startGallery(reply: PageReply) {
  const lines: string[] = []
  const languages: (string | undefined)[] = []
  const bodies: string[] = []
  const browsers: (Browser | undefined)[] = []
  const app = createServiceApp({
    contract: gallery,
    keys: new Map([['gateway', key]]),
    operatorCalls: { begin: () => Promise.reject(new Error()), complete: () => Promise.reject(new Error()) },
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    metrics: createMetrics('gallery'),
    readiness: { required: {}, optional: {} },
    handlers: {
      showPicture: async ({ browser }, { raw }) => {
        browsers.push(browser)
        languages.push(raw.headers['accept-language'])
        return reply
      },
      sendPicture: async (_caller, { raw }) => {
        bodies.push(raw.bytes.toString())
        return reply
      },
    },
  })
  const server = createAppServer(app)
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  stop = () => stopServer(server, 0)
  const send = (operation: string, path: string, headers: Record<string, string>, body?: Buffer, browser?: Browser) => {
    const caller = {
      ...(browser === undefined ? {} : { browser }),
      tenantId: null,
      actor: { type: 'anonymous' as const, id: 'anonymous' },
      permissions: [],
      traceId: randomUUID(),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const signed = { method, path, operation, body }
    const assertion = signAssertion(caller, { issuer: 'gateway', audience: 'gallery', key }, signed)
    const init = { method, headers: { ...headers, [assertionHeader]: assertion }, redirect: 'manual' } as const
    return fetch(url + path, body === undefined ? init : { ...init, body: new Uint8Array(body) })
  }
  const get = (path: string, headers: Record<string, string> = {}, browser?: Browser) =>
    send('showPicture', path, headers, undefined, browser)
  const post = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    send('sendPicture', path, headers, body)
  return { get, post, lines, languages, bodies, browsers }
}

const shown: PageReply = { status: 200, html: '<p>é</p>', policy: "default-src 'none'" }

test('a page has its policy, and headers that keep its address secret', async () => {
  const { get, languages } = await startGallery(shown)
  const reply = await get('/picture/s3cret?utm_source=mail', { 'Accept-Language': 'fr' })
  expect([reply.status, await reply.text()]).toEqual([200, '<p>é</p>'])
  expect(languages).toEqual(['fr'])
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  })
  expect(reply.headers.get('location')).toBeNull()
})

test('a page that another one frames has no X-Frame-Options, which its policy replaces', async () => {
  const { get } = await startGallery({ ...shown, isFramed: true })
  const { headers } = await get('/picture/s3cret')
  expect([headers.get('x-frame-options'), headers.get('content-security-policy')]).toEqual([null, "default-src 'none'"])
})

const visit = { name: '__Host-visit', value: 'a.b_c~d-e', maxAgeSeconds: 600, sameSite: 'Strict' } as const

test('the cookies of a page are secure, hidden from scripts, and bound to the host', async () => {
  const cookies = [visit, { ...visit, value: '', maxAgeSeconds: 0, sameSite: 'Lax' as const }]
  const { get } = await startGallery({ ...shown, cookies })
  expect((await get('/picture/s3cret')).headers.getSetCookie()).toEqual([
    '__Host-visit=a.b_c~d-e; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Strict',
    '__Host-visit=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
  ])
})

test('a page without cookies sets none', async () => {
  const { get } = await startGallery(shown)
  expect((await get('/picture/s3cret')).headers.getSetCookie()).toEqual([])
})

test('a page gets the browser that the gateway names, and no cookie of the request', async () => {
  const { get, browsers } = await startGallery(shown)
  const browser = { address: '192.0.2.7', userAgent: 'Browser/1', cookies: { '__Host-visit': 'x' } }
  await get('/picture/s3cret', {}, browser)
  await get('/picture/s3cret', { Cookie: '__Host-visit=forged' })
  expect(browsers).toEqual([browser, undefined])
})

test('a page reads the bytes of a body, and no compressed body', async () => {
  const { post, bodies } = await startGallery(shown)
  const body = Buffer.from('{"a": 1.0}')
  expect((await post('/picture/s3cret', body)).status).toBe(200)
  expect(bodies).toEqual(['{"a": 1.0}'])
  expect((await post('/picture/s3cret', gzipSync(body), { 'Content-Encoding': 'gzip' })).status).toBe(415)
  expect(bodies).toHaveLength(1)
})

test('a page of status 303 leads to its location', async () => {
  const { get } = await startGallery({ ...shown, status: 303, location: '/picture/next' })
  const reply = await get('/picture/s3cret')
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/picture/next'])
})

test.each([
  ['a status outside of the contract', { ...shown, status: 404 }],
  ['a 303 without a location', { ...shown, status: 303 }],
  ['a location without a 303', { ...shown, location: '/picture/next' }],
  ['a cookie outside of the contract', { ...shown, cookies: [{ ...visit, name: '__Host-other' }] }],
  ['a cookie without the prefix of its host', { ...shown, cookies: [{ ...visit, name: 'plain' }] }],
  ['a cookie whose value would be several', { ...shown, cookies: [{ ...visit, value: 'x; Domain=example.com' }] }],
  ['a cookie whose value ends the header', { ...shown, cookies: [{ ...visit, value: 'x\r\nSet-Cookie: a=b' }] }],
] as const)('a reply with %s is a bug', async (_case, reply) => {
  const { get } = await startGallery(reply)
  const response = await get('/picture/s3cret')
  expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ code: 'internal_error' })])
})

test('no log line of a service has the secret of a page', async () => {
  const { get, lines } = await startGallery(shown)
  expect((await get('/picture/s3cret')).status).toBe(200)
  for (const path of ['/picture/s3cret/', '/picture/s3cret/x', `/picture/s3cret${'x'.repeat(20)}`, '/Picture/s3cret']) {
    expect((await get(path)).status).toBeGreaterThanOrEqual(400)
  }
  expect(lines).toHaveLength(5)
  expect(lines.filter((line) => line.includes('s3cret'))).toEqual([])
  expect(lines.filter((line) => line.includes('/picture/{secret}'))).toHaveLength(5)
})

test('the template replaces every path that may contain the secret, and no other path', () => {
  const { has, hide } = createPagePaths([gallery])
  for (const path of ['/picture/s', '/picture/s/x', '//picture/s', '/PICTURE/s', '/%70icture%2Fs', '\\picture\\s']) {
    expect([path, hide(path)]).toEqual([path, '/picture/{secret}'])
  }
  for (const path of ['/', '/pictures/s', '/picture', '/v1/%zz']) expect(hide(path)).toBe(path)
  expect(['/picture/s', '/picture/', '/picture', '//picture/s'].filter(has)).toEqual(['/picture/s', '/picture/'])
})
