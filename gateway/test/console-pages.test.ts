import { afterAll, beforeAll, expect, test } from '@jest/globals'
import request from 'supertest'
import { consoleOrigin, startWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  request(world.url)
    .get(path)
    .set({ Host: new URL(consoleOrigin).host, ...headers })

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

test.each(['/console', '/console/', '/console/keys', '/console/keys/01a21932-1818-773a-9e68-532855991b5a?name=a'])(
  '%s is the shell, which no other site can open, frame or read',
  async (path) => {
    const reply = await get(path).expect(200)
    expect(reply.text).toContain('<div id="root">')
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    })
  },
)

test('the chunks of the shell are served for a year, compressed, and without a question when they are known', async () => {
  const { text } = await get('/console')
  const chunks = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => String(path))
  expect(chunks.length).toBeGreaterThan(1)
  for (const chunk of chunks) {
    const reply = await get(chunk, { 'Accept-Encoding': 'gzip' }).expect(200)
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(reply.headers['content-type']).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
    await get(chunk, { 'Accept-Encoding': 'gzip', 'If-None-Match': String(reply.headers['etag']) }).expect(304)
  }
})

test('a chunk that this image does not have is not found, so that an open page of another release loads again', async () => {
  const reply = await get('/console/assets/no-such-chunk.js').expect(404)
  expect(reply.body.code).toBe('route_not_found')
})

test.each(['/consoles', '/console.js', '/CONSOLE'])('%s is not the console', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test('the console is read only', async () => {
  const reply = await request(world.url).post('/console/keys').set('Host', new URL(consoleOrigin).host)
  expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD'])
})
