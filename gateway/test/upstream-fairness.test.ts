import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { countConnections } from './forwarding.ts'
import { startWorld, type TestTenant, until, type World } from './world.ts'

const path = '/v1/payment-proxy/transactions'
const env = { UPSTREAM_REQUESTS_PER_TENANT_MAX: '3', UPSTREAM_REQUESTS_MAX: '6', UPSTREAM_WAIT_MS_MAX: '700' }
let world: World
let greedy: TestTenant
let other: TestTenant
const hanging: ServerResponse[] = []

beforeAll(async () => {
  world = await startWorld({ env })
  greedy = await world.tenant()
  other = await world.tenant()
})
afterAll(() => world.stop())

const inProgress = async () => {
  const text = await world.metrics.registry.metrics()
  return Number(/gateway_upstream_requests\{[^}]*upstream="payment-proxy"[^}]*\} (\d+)/.exec(text)?.[1])
}
const settled = async (count: number) => until(async () => ((await inProgress()) === count ? true : undefined))

test('a tenant whose requests hang does not delay another, and gets 429 with Retry-After at its limit', async () => {
  world.upstream.respond((_request, response) => void hanging.push(response))
  const held = Array.from({ length: 3 }, () => world.send('get', path, greedy.admin).then(({ status }) => status))
  await until(() => (hanging.length === 3 ? true : undefined))
  const rejected = await Promise.all(Array.from({ length: 5 }, () => world.send('get', path, greedy.admin)))
  for (const { status, body, headers } of rejected) {
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  }
  expect(hanging).toHaveLength(3)
  world.upstream.respond((_request, response) => void response.end('{}'))
  for (let i = 0; i < 10; i++) await world.send('get', path, other.admin).expect(200)
  for (const response of hanging.splice(0)) response.end('{}')
  expect(await Promise.all(held)).toEqual([200, 200, 200])
  await settled(0)
})

test.each([
  ['its service breaks off before its response', (response: ServerResponse) => void response.socket?.destroy()],
  [
    'its service breaks off within a body',
    (response: ServerResponse) => response.write('x', () => response.socket?.destroy()),
  ],
  ['its service rejects the assertion', (response: ServerResponse) => void response.writeHead(401).end('{}')],
])('the permit of a request is released when %s', async (_case, end) => {
  world.upstream.respond((_request, response) => void end(response))
  for (let i = 0; i < 8; i++) await world.send('get', path, greedy.admin).catch(() => 'cut off')
  await settled(0)
  world.upstream.respond((_request, response) => void response.end('{}'))
  expect((await world.send('get', path, greedy.admin)).status).toBe(200)
})

test('the permit of a request whose client leaves is held until the service has responded', async () => {
  const responses: (() => void)[] = []
  world.upstream.respond((_request, response) => void responses.push(() => response.end('{}')))
  const leaving = Array.from({ length: 3 }, () => {
    const sent = world.send('get', path, greedy.admin)
    sent.end(() => {})
    return sent
  })
  await until(() => (responses.length === 3 ? true : undefined))
  for (const sent of leaving) sent.abort()
  await until(async () => ((await countConnections(world.server)) === 0 ? true : undefined))
  expect(await inProgress()).toBe(3)
  for (const respond of responses) respond()
  await settled(0)
})
