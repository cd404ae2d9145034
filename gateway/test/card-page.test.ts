import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { consoleOrigin, startWorld, type World } from './world.ts'

/** The card page runs a script of the payment provider, so it has another host. */
let world: World
let received: IncomingMessage[] = []

const cardHost = 'cards.example.com'
const settings = { CARD_PAGE_ORIGIN: `https://${cardHost}` }

beforeAll(async () => {
  world = await startWorld({ env: settings })
})
afterAll(() => world.stop())
beforeEach(() => {
  received = []
  world.upstream.respond((incoming, response) => {
    received.push(incoming)
    incoming.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Page</p>'))
  })
})

const consoleHost = new URL(consoleOrigin).host
const payHost = 'pay.example.com'
const cardPages = ['/pay/card/stripe/ticket', '/pay/card/stripe/ticket?lang=de']
const others = [
  ...[
    '/pay/abc',
    '/pay/card',
    '/pay/card/bank',
    '/session/sign-in',
    '/console',
    '/docs',
    '/docs/api',
    '/docs/style.css',
    '/problems',
  ],
  ...['/v1/openapi.json', '/healthz', '/'],
]

async function findServed(url: string, paths: readonly string[], host: string): Promise<readonly string[]> {
  const replies = await Promise.all(paths.map((path) => request(url).get(path).set('Host', host).redirects(0)))
  return paths.filter((_, index) => replies[index]?.status === 200)
}

describe('with CARD_PAGE_ORIGIN', () => {
  test('outside dev its host serves the card page and nothing else, and no other host serves the card page', async () => {
    const { url, stop } = await world.addGateway({ ENVIRONMENT: 'prod', TRUSTED_PROXIES: '0' })
    expect(await findServed(url, cardPages, cardHost)).toEqual(cardPages)
    expect(await findServed(url, cardPages, cardHost.toUpperCase())).toEqual(cardPages)
    expect(received).toHaveLength(4)
    expect(await findServed(url, others, cardHost)).toEqual([])
    for (const host of [payHost, consoleHost, `${cardHost}:8443`, `x.${cardHost}`, '']) {
      expect([host, await findServed(url, cardPages, host)]).toEqual([host, []])
    }
    expect(received).toHaveLength(4)
    expect(await findServed(url, ['/pay/abc', '/healthz'], payHost)).toEqual(['/pay/abc', '/healthz'])
    await stop()
  })

  test('in dev its host serves all pages, and no other host serves the card page', async () => {
    const { url, stop } = await world.addGateway()
    expect(await findServed(url, [...cardPages, '/pay/abc', '/docs'], cardHost)).toEqual([
      ...cardPages,
      '/pay/abc',
      '/docs',
    ])
    expect(await findServed(url, [...cardPages, '/pay/abc'], payHost)).toEqual(['/pay/abc'])
    await stop()
  })

  test('the API is not served on its host outside dev, with a valid key either', async () => {
    const { url, stop } = await world.addGateway({ ENVIRONMENT: 'prod', TRUSTED_PROXIES: '0' })
    const reply = await request(url).get('/v1/api-key/keys').set({ Host: cardHost, Authorization: 'Bearer key' })
    expect([reply.status, reply.body.code, received.length]).toEqual([404, 'route_not_found', 0])
    await stop()
  })
})

test('a problem in place of the card page has its style with it, as its host serves no style', async () => {
  world.upstream.respond((_, response) => void response.destroy())
  const page = await request(world.url).get('/pay/card/stripe/ticket?lang=de').set('Host', cardHost).redirects(0)
  expect(page.text).toContain('<html lang="de">')
  const [, style = ''] = /<style>([^<]+)<\/style>/.exec(page.text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page.headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`)
  expect(page.text).not.toMatch(/<link|src=/)
})

test('without CARD_PAGE_ORIGIN, no host serves the card page', async () => {
  for (const ENVIRONMENT of ['dev', 'prod']) {
    const { url, stop } = await world.addGateway({ CARD_PAGE_ORIGIN: '', ENVIRONMENT, TRUSTED_PROXIES: '0' })
    for (const host of [cardHost, payHost, consoleHost]) expect(await findServed(url, cardPages, host)).toEqual([])
    await stop()
  }
  expect(received).toEqual([])
})

test('takes from the allowance of pages of its address', async () => {
  const { url, stop } = await world.addGateway({ UNVERIFIED_REQUESTS_PER_MINUTE: '1' })
  const get = () => request(url).get('/pay/card/stripe/ticket').set('Host', cardHost)
  expect([(await get()).status, (await get()).status]).toEqual([200, 429])
  await stop()
})

test('its ticket is in no audit record', async () => {
  const reply = await request(world.url).get('/pay/card/stripe/the-ticket').set('Host', cardHost)
  const record = await world.findAuditRecord(String(reply.headers['trace-id']))
  expect(JSON.stringify(record)).not.toContain('the-ticket')
  expect(record).toMatchObject({ status: 200, path: '/pay/card/stripe/{ticket}' })
})
