import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { contracts, problemsByCode } from '@payments/contracts/edges/contracts'
import { openApiDocument } from '@payments/contracts/openapi/document'
import request from 'supertest'
import { localAddresses } from '../src/pages/addresses.ts'
import { documentationPages } from '../src/pages/documentation-pages.ts'
import { consoleOrigin, startWorld, type World } from './world.ts'

let world: World

/** The bytes after decompression by superagent. */
const collectBytes = (reply: request.Response, done: (error: Error | null, body: Buffer) => void) => {
  const chunks: Buffer[] = []
  reply.on('data', (chunk: Buffer) => chunks.push(chunk))
  reply.on('end', () => done(null, Buffer.concat(chunks)))
}

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const get = (path: string, accept = browser) => request(world.url).get(path).set('Accept', accept)

const documentation = documentationPages(localAddresses)
const htmlPaths = [...documentation].filter(([, { type }]) => type.startsWith('text/html')).map(([path]) => path)

const listLinks = (text: string) => [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, link]) => String(link))

/** Whether a link leads to a page of the gateway, and to an element of that page. */
function leadsTo(texts: ReadonlyMap<string, string>, from: string, link: string): boolean {
  const [path = '', fragment] = link.split('#')
  const target = path === '' ? from : path
  if (link === `${consoleOrigin}/console`) return true
  if (!documentation.has(target)) return false
  return fragment === undefined || texts.get(target)?.includes(` id="${fragment}"`) === true
}

describe('without a credential', () => {
  test('the process reports liveness and readiness', async () => {
    expect((await get('/healthz').expect(200)).body).toEqual({ status: 'alive' })
    expect((await get('/readyz').expect(200)).body).toEqual({ status: 'ready', reasons: {}, degraded: {} })
  })

  test('the metrics are not public', async () => {
    expect((await get('/metrics')).status).toBe(404)
  })

  test('OpenAPI is created from the contracts', async () => {
    const reply = await get('/v1/openapi.json')
      .expect('Content-Type', /application\/json/)
      .expect(200)
    expect(reply.body).toEqual(JSON.parse(JSON.stringify(openApiDocument(contracts))))
  })

  test('every page is complete from the gateway: its links, styles and scripts exist, and none is of another host', async () => {
    expect(htmlPaths.length).toBeGreaterThan(100)
    const texts = new Map<string, string>()
    for (const path of htmlPaths)
      texts.set(
        path,
        (
          await get(path)
            .expect('Content-Type', /text\/html/)
            .expect(200)
        ).text,
      )
    const broken = [...texts].flatMap(([path, text]) =>
      listLinks(text)
        .filter((link) => !leadsTo(texts, path, link))
        .map((link) => `${path}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  test('every result of the search leads to a page and its element', async () => {
    const { body } = await get('/docs/search.json').expect(200)
    const kinds = new Set<string>(body.map(({ kind }: { kind: string }) => kind))
    expect([...kinds].sort()).toEqual(['Event', 'Guide', 'Operation', 'Problem'])
    const texts = new Map<string, string>()
    for (const path of htmlPaths) texts.set(path, (await get(path).expect(200)).text)
    const links = body.map(({ href }: { href: string }) => href)
    expect(links.filter((link: string) => !leadsTo(texts, '/docs/search', link))).toEqual([])
  })

  test('pages show the addresses of the configuration, and never the Host of a request', async () => {
    const addresses = { API_ORIGIN: 'https://payments.example', CONSOLE_ORIGIN: 'https://console.example' }
    const gateway = await world.addGateway(addresses)
    try {
      const page = (path: string) =>
        request(gateway.url).get(path).set({ Accept: browser, Host: 'attacker.example' }).expect(200)
      const quickStart = (await page('/docs/quick-start')).text
      expect(quickStart).toContain(`API=${addresses.API_ORIGIN}/v1`)
      expect(quickStart).toContain(`<a href="${addresses.CONSOLE_ORIGIN}/console">Console</a>`)
      expect((await page('/docs/api/rbac')).text).toContain(`API=${addresses.API_ORIGIN}/v1`)
      for (const path of htmlPaths) expect((await page(path)).text).not.toMatch(/attacker|127\.0\.0\.1:8080/)
    } finally {
      await gateway.stop()
    }
  })

  test('without a console, no page leads to it', () => {
    const withoutConsole = documentationPages({ ...localAddresses, console: undefined })
    const text = String(withoutConsole.get('/docs')?.identity.bytes)
    expect(text).toContain('API reference')
    expect(text).not.toContain('/console"')
  })

  test('a problem has an example and the operations that declare it', async () => {
    const text = (await get('/problems/external_reference_taken').expect(200)).text
    expect(text).toContain('external_reference_taken&quot;')
    expect(text).toContain('<a href="/docs/api/payment-proxy#createTransaction">')
  })

  test('a page marks its section, and only its own link as the page', async () => {
    const text = (await get('/docs/webhooks').expect(200)).text
    expect(text).toContain('<a href="/docs" aria-current="true">Guides</a>')
    expect(text.match(/aria-current="page"/g)).toHaveLength(1)
    expect(text).toContain('<a href="/docs/webhooks" aria-current="page">')
    expect((await get('/docs').expect(200)).text).toContain('<a href="/docs" aria-current="page">Guides</a>')
  })

  test('no page has inline scripts or styles, and the policy allows neither them nor another origin', async () => {
    for (const path of ['/docs', '/docs/webhooks', '/docs/api', '/docs/api/payment-proxy', '/problems']) {
      const page = await get(path).expect(200)
      const policy = page.headers['content-security-policy'] ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
      expect(page.text).not.toMatch(/<script>|<style|\sstyle=|\son\w+="/)
    }
  })

  test('the API reference shows every operation without a script', async () => {
    const index = (await get('/docs/api').expect(200)).text
    const { paths } = openApiDocument(contracts) as { paths: Record<string, Record<string, { operationId: string }>> }
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(names.length).toBeGreaterThan(70)
    expect(names.filter((name) => !index.includes(`#${name}"`))).toEqual([])
  })

  test('the index of problems names each one', async () => {
    const index = (await get('/problems').expect(200)).text
    const missing = [...problemsByCode.keys()].filter((code) => !index.includes(`href="/problems/${code}"`))
    expect(missing).toEqual([])
  })

  test('every problem has a page with its explanation', async () => {
    expect(problemsByCode.size).toBeGreaterThan(30)
    for (const { code, status } of problemsByCode.values()) {
      const page = await get(`/problems/${code}`)
        .expect('Content-Type', /text\/html/)
        .expect(200)
      expect(page.text).toContain(`<dd><code>${code}</code></dd>`)
      expect(page.text).toContain(`<dd>${status}</dd>`)
      expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    }
    const reply = await get('/problems/no_such_code', '*/*').expect(404)
    expect(reply.body.code).toBe('route_not_found')
  })

  test('the type of a problem is the path of its page', async () => {
    const reply = await get('/v1/nowhere', '*/*').set('Trace-ID', randomUUID()).expect(404)
    expect((await get(reply.body.type)).status).toBe(200)
  })

  test.each([
    '/v1/openapi.json',
    '/docs',
    '/docs/api',
    '/docs/style.css',
    '/docs/docs.js',
    '/problems',
    '/problems/rate_limited',
  ])('%s is compressed for a client that accepts gzip, and 304 for a client that has it', async (path) => {
    const plain = await get(path).set('Accept-Encoding', 'identity').buffer(true).parse(collectBytes).expect(200)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const long = await get(path)
      .set('Accept-Encoding', `gzip${', a'.repeat(2_000)}`)
      .expect(200)
    expect(long.headers['content-encoding']).toBeUndefined()
    const packed = await get(path).set('Accept-Encoding', 'gzip;q=0.5').buffer(true).parse(collectBytes).expect(200)
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('Accept-Encoding'),
    })
    expect(plain.headers).toMatchObject({ vary: expect.stringContaining('Accept-Encoding') })
    expect(packed.headers['etag']).not.toBe(plain.headers['etag'])
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) * 0.9)
    expect(packed.body).toEqual(plain.body)
    for (const { headers } of [plain, packed]) {
      const encoding = headers['content-encoding'] ?? 'identity'
      const again = await get(path).set('Accept-Encoding', encoding).set('If-None-Match', String(headers['etag']))
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']])
    }
    const head = await request(world.url).head(path).set({ Accept: browser, 'Accept-Encoding': 'gzip' }).expect(200)
    expect(head.headers['content-length']).toBe(packed.headers['content-length'])
  })

  test.each([
    ['a browser', browser, 'html'],
    ['any text', 'text/*', 'html'],
    ['a program', 'application/json', 'json'],
    ['curl', '*/*', 'json'],
    ['a program that also takes HTML', 'text/html;q=0.5, application/json', 'json'],
    ['a reader that also takes JSON', 'text/html, application/json;q=0.9', 'html'],
    ['a program of problems', 'application/problem+json', 'json'],
    ['an image', 'image/png', 'json'],
    ['a program that takes no HTML', '*/*, text/html;q=0', 'json'],
    ['a client that names too many media types', `text/html${', a/b'.repeat(2_000)}`, 'json'],
  ])('%s gets the form it prefers at a wrong path, at / and of a problem', async (_client, accept, form) => {
    const wrong = await get('/wrong', accept).expect(404)
    const entry = await get('/', accept)
    const problem = await get('/problems/rate_limited', accept).expect(200)
    const index = await get('/problems', accept).expect(200)
    for (const { headers } of [wrong, entry, problem, index]) expect(headers['vary']).toMatch(/^Accept\b/)
    if (form === 'html') {
      for (const { headers } of [wrong, problem, index]) expect(headers['content-type']).toMatch(/^text\/html/)
      expect([entry.status, entry.headers['location'], entry.text]).toEqual([302, '/docs', ''])
      return
    }
    expect(wrong.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(wrong.body).toMatchObject({ code: 'route_not_found', status: 404 })
    expect([entry.status, entry.body.documentation]).toEqual([200, '/docs'])
    for (const link of ['documentation', 'reference', 'openapi', 'problems']) await get(entry.body[link]).expect(200)
    const { title, explanation } = problemsByCode.get('rate_limited') ?? {}
    expect(problem.body).toEqual({
      type: '/problems/rate_limited',
      code: 'rate_limited',
      status: 429,
      title,
      explanation,
    })
    expect(index.body.data).toHaveLength(problemsByCode.size)
  })

  test.each([
    ['get', '/wrong', 404],
    ['get', '/problems/no_such_code', 404],
    ['get', '/v1/wrong', 404],
    ['get', '/docs/', 404],
    ['get', '/docs%00', 400],
    ['post', '/docs', 405],
  ] as const)('a browser gets a page with links and the trace id for %s %s', async (method, path, status) => {
    const reply = await request(world.url)[method](path).set('Accept', browser).expect(status)
    const page = await get('/docs').expect(200)
    const compared = ['content-type', 'content-security-policy', 'x-frame-options', 'referrer-policy'] as const
    for (const name of compared) expect(reply.headers[name]).toBe(page.headers[name])
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.text).toContain(`<code>${reply.headers['trace-id']}</code>`)
    for (const link of listLinks(reply.text).filter((one) => !one.startsWith('#'))) await get(link).expect(200)
    expect(reply.text).not.toMatch(/wrong|no_such_code/)
    expect(await world.findAuditRecord(String(reply.headers['trace-id']))).toMatchObject({ status, operation: null })
  })

  test('a path of an endpoint has problem documents, whatever the client prefers', async () => {
    const reply = await get('/v1/rbac/roles').expect(401)
    expect(reply.body.code).toBe('invalid_credentials')
    const method = await request(world.url).delete('/v1/rbac/permissions').set('Accept', browser).expect(405)
    expect(method.body.code).toBe('method_not_allowed')
  })

  test('a page rejects other methods', async () => {
    const reply = await request(world.url).post('/docs').expect(405)
    expect(reply.headers['allow']).toBe('GET, HEAD')
  })
})
