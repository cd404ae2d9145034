import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { contracts, problemsByCode } from '@payments/contracts/all'
import { openApiDocument } from '@payments/contracts/openapi'
import request from 'supertest'
import { startWorld, type World } from './world.ts'

let world: World

/** The bytes after decompression by superagent. */
const bytesOf = (reply: request.Response, done: (error: Error | null, body: Buffer) => void) => {
  const chunks: Buffer[] = []
  reply.on('data', (chunk: Buffer) => chunks.push(chunk))
  reply.on('end', () => done(null, Buffer.concat(chunks)))
}

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const get = (path: string) => request(world.url).get(path)

describe('without a credential', () => {
  test('the process reports liveness and readiness', async () => {
    expect((await get('/healthz').expect(200)).body).toEqual({ status: 'alive' })
    expect((await get('/readyz').expect(200)).body).toEqual({ status: 'ready', reasons: {} })
  })

  test('the metrics are not public', async () => {
    await get('/metrics').expect(404)
  })

  test('OpenAPI is created from the contracts', async () => {
    const reply = await get('/v1/openapi.json')
      .expect('Content-Type', /application\/json/)
      .expect(200)
    expect(reply.body).toEqual(JSON.parse(JSON.stringify(openApiDocument(contracts))))
  })

  test('Swagger UI is served from the gateway, and its policy allows no inline content and no other origin', async () => {
    const page = await get('/docs')
      .expect('Content-Type', /text\/html/)
      .expect(200)
    const policy = page.headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(page.text).not.toMatch(/<script>|style=|https?:/)
    const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => String(path))
    expect(linked).toHaveLength(4)
    const types: Record<string, RegExp> = { css: /text\/css/, js: /text\/javascript/, png: /image\/png/ }
    for (const path of linked) {
      await get(path)
        .expect('Content-Type', types[path.split('.').at(-1) ?? ''] ?? /^known/)
        .expect(200)
    }
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
    const reply = await get('/problems/no_such_code').expect(404)
    expect(reply.body.code).toBe('route_not_found')
  })

  test('the type of a problem is the path of its page', async () => {
    const reply = await get('/v1/nowhere').set('Trace-ID', randomUUID()).expect(404)
    await get(reply.body.type).expect(200)
  })

  test.each(['/v1/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/problems/rate_limited'])(
    '%s is compressed for a client that accepts gzip, and 304 for a client that has it',
    async (path) => {
      const plain = await get(path).set('Accept-Encoding', 'identity').buffer(true).parse(bytesOf).expect(200)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const packed = await get(path).set('Accept-Encoding', 'gzip;q=0.5').buffer(true).parse(bytesOf).expect(200)
      expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' })
      expect(packed.headers['etag']).not.toBe(plain.headers['etag'])
      expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) * 0.9)
      expect(packed.body).toEqual(plain.body)
      for (const { headers } of [plain, packed]) {
        const encoding = headers['content-encoding'] ?? 'identity'
        const again = await get(path).set('Accept-Encoding', encoding).set('If-None-Match', String(headers['etag']))
        expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']])
      }
      const head = await request(world.url).head(path).set('Accept-Encoding', 'gzip').expect(200)
      expect(head.headers['content-length']).toBe(packed.headers['content-length'])
    },
  )

  test('a page rejects other methods', async () => {
    const reply = await request(world.url).post('/docs').expect(405)
    expect(reply.headers['allow']).toBe('GET, HEAD')
  })
})
