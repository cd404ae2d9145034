/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rawClient } from '@payments/testing/calls/raw-request'
import { hostileHeaders, hostileTexts } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import { credentialHeaders, headersOfConsole, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
let client: ReturnType<typeof rawClient>
beforeAll(async () => {
  world = await startWorld({ env: { TRUSTED_PROXIES: '1', REQUESTS_PER_SECOND_PER_KEY: '1000000' } })
  tenant = await world.tenant()
  client = rawClient(world.port)
})
afterAll(async () => {
  client.close()
  await world.stop()
})

const proxied = { 'x-forwarded-for': '192.0.2.1' }
const webhooks = '/v1/payment-proxy/gateway-webhooks'

/** One of each kind of caller. */
const callers = (): [string, { method: string; target: string; headers: Record<string, string>; body?: string }][] => {
  const json = { 'content-type': 'application/json' }
  return [
    ['an API key', { method: 'GET', target: '/v1/transactions', headers: lowered(credentialHeaders(tenant.admin)) }],
    ['the console', { method: 'GET', target: '/v1/self', headers: lowered(headersOfConsole('x'.repeat(43))) }],
    ['an unknown caller', { method: 'POST', target: `${webhooks}/${randomUUID()}`, headers: json, body: '{}' }],
    ['a browser', { method: 'GET', target: '/nowhere', headers: { accept: 'text/html' } }],
  ]
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

test('no header of a request holds the event loop for long', async () => {
  const works = callers().flatMap(([caller, request]) =>
    hostileHeaders().map(({ what, headers }): [string, () => Promise<void>] => [
      `${what} of ${caller}`,
      async () => {
        const { status } = await client.send({ ...request, headers: { ...proxied, ...request.headers, ...headers } })
        expect(status).toBeLessThan(500)
      },
    ]),
  )
  expect(await slowWorks(works)).toEqual([])
})

test('no path, query and body of an unknown caller holds the event loop for long', async () => {
  const works = hostileTexts(60_000).flatMap(([name, text]) => {
    const path = encodeURIComponent(text.slice(0, 8_000)).slice(0, 13_000).replace(/%.?$/, '')
    const send = (target: string, body?: string) => async () => {
      const headers = {
        ...proxied,
        accept: 'text/html',
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0',
      }
      const { status } = await client.send({ method: body === undefined ? 'GET' : 'POST', target, headers, body })
      expect(status).toBeLessThan(500)
    }
    return [
      [`${name} in the path`, send(`/${path}`)],
      [`${name} in the query`, send(`/v1/transactions?${path}`)],
      [`${name} in the body`, send(`${webhooks}/${randomUUID()}`, text.slice(0, 20_000))],
    ] as const
  })
  expect(await slowWorks(works)).toEqual([])
})
