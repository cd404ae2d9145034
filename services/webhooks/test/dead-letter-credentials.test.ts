import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, kill, letters } from './dead-letter-world.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
let tokenEndpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,100ms', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  ;[endpoint, tokenEndpoint] = await Promise.all([receiver(), receiver()])
  endpoint.respondWith(() => ({ status: 500 }))
  tokenEndpoint.respondWith(() => ({
    status: 200,
    body: JSON.stringify({ access_token: 'tok-secret', expires_in: 300 }),
  }))
})
afterEach(() => Promise.all([endpoint.close(), tokenEndpoint.close()]))

async function attach(subscribed: Subscribed, type: string, config: object): Promise<void> {
  const { body, status } = await subscribed.tenant.post('/v1/webhooks/auth-info', { name: 'a', type, config })
  expect(status).toBe(201)
  expect((await subscribed.tenant.put(subscribed.path, { webhook_auth_info_id: body.id })).status).toBe(200)
}

async function readLetter(subscribed: Subscribed) {
  const [{ id } = { id: '' }] = await dead(subscribed)
  const { body, text } = await subscribed.tenant.get(`${letters}/${id}`)
  const operators = await world.asOperator.get(`/internal/dead-letters/${id}`)
  expect(operators.body.request).toEqual(body.request)
  return { request: body.request as { url: string; headers: Record<string, string> }, text }
}

const ours = [
  'Content-Type',
  'User-Agent',
  'Trace-ID',
  'traceparent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

test.each([
  ['custom_headers', { headers: { 'X-Api-Key': 'k-secret', Cookie: 'c-secret' } }, ['X-Api-Key', 'Cookie']],
  ['basic', { username: 'payments', password: 'p-secret' }, ['Authorization']],
  ['api_credential', { location: 'header', name: 'X-Token', value: 'v-secret', prefix: 'live_' }, ['X-Token']],
  ['oauth2_client_credentials', { client_id: 'payments', client_secret: 'o-secret' }, ['Authorization']],
])(
  'a dead letter shows the headers that %s added, masked, and no table stores their values',
  async (type, config, added) => {
    const subscribed = await subscribe(world, endpoint.url)
    const tokenUrl = type === 'oauth2_client_credentials' ? { token_url: `${tokenEndpoint.url}/token` } : {}
    await attach(subscribed, type, { ...config, ...tokenUrl })
    await kill(world, 1, subscribed)
    const { request, text } = await readLetter(subscribed)
    expect(Object.keys(request.headers).sort()).toEqual([...ours, ...added].sort())
    expect(added.map((name) => request.headers[name])).toEqual(added.map(() => '…'))
    expect(endpoint.received.at(-1)?.headers).toHaveProperty(added[0]?.toLowerCase() ?? '')
    expect(text).not.toContain('secret')
    const attempts = await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.findMany())
    expect(attempts.map(({ credentialNames }) => credentialNames)).toEqual(
      Array(2).fill({ headers: expect.arrayContaining(added), query: [] }),
    )
  },
)

test.each([
  ['/hook', '/hook?api%20key=…'],
  ['/hook?a=%2f', '/hook?a=%2f&api%20key=…'],
])('a dead letter shows the credential in the query of %s, masked', async (written, shown) => {
  const subscribed = await subscribe(world, `${endpoint.url}${written}`)
  await attach(subscribed, 'api_credential', { location: 'query', name: 'api key', value: 'q-secret' })
  await kill(world, 1, subscribed)
  const { request, text } = await readLetter(subscribed)
  expect(request.url).toBe(`${endpoint.url}${shown}`)
  expect(endpoint.received.at(-1)?.path).toContain('api%20key=q-secret')
  expect(text).not.toContain('secret')
})

test('a dead letter shows the credentials of the last attempt, regardless of later changes', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await attach(subscribed, 'custom_headers', { headers: { 'X-First': 'k-secret' } })
  await kill(world, 1, subscribed)
  await attach(subscribed, 'custom_headers', { headers: { 'X-Second': 'k-secret' } })
  expect((await readLetter(subscribed)).request.headers).toMatchObject({ 'X-First': '…' })
  await subscribed.tenant.put(subscribed.path, { webhook_auth_info_id: null })
  expect((await readLetter(subscribed)).request.headers).not.toHaveProperty('X-Second')
})

test('a dead letter shows no credential when no token was available', async () => {
  tokenEndpoint.respondWith(() => ({ status: 401 }))
  const subscribed = await subscribe(world, endpoint.url)
  const config = { token_url: `${tokenEndpoint.url}/token`, client_id: 'a', client_secret: 'o-secret' }
  await attach(subscribed, 'oauth2_client_credentials', config)
  await kill(world, 1, subscribed)
  expect(Object.keys((await readLetter(subscribed)).request.headers).sort()).toEqual([...ours].sort())
})
