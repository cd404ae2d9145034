import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { listen, stopServer } from '@payments/chassis/process/serve'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import type { Response } from 'supertest'
import type { Deps } from '../src/deps.ts'
import { createSharedCounters } from '../src/limits/shared-counters.ts'
import { createRateLimit, type RateLimit } from '../src/limits/token-bucket.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

describe('a bucket', () => {
  let now: number
  const limit = (perSecond: number, burst: number, subjectsMax = 10) =>
    createRateLimit({ perSecond, burst }, { subjectsMax, now: () => now })
  beforeEach(() => {
    now = 1_000_000
  })

  test('admits its burst at once, then its rate, and reports the remaining tokens', () => {
    const bucket = limit(200, 400)
    for (let left = 399; left >= 0; left -= 1) {
      expect(bucket.take('a')).toMatchObject({ remaining: left, retryAfterSeconds: 0 })
    }
    expect(bucket.take('a')).toEqual({ remaining: 0, resetSeconds: 2, retryAfterSeconds: 0.005 })
    now += 4.9
    expect(bucket.take('a').retryAfterSeconds).toBeCloseTo(0.0001)
    now += 0.1
    expect(bucket.take('a').retryAfterSeconds).toBe(0)
    expect(bucket.take('a').retryAfterSeconds).toBeGreaterThan(0)
    now += 2_000
    expect(bucket.take('a')).toEqual({ remaining: 399, resetSeconds: 0.005, retryAfterSeconds: 0 })
  })

  test('admits at most burst + rate × time requests under any load', () => {
    const bucket = limit(200, 400)
    let passed = 0
    for (const end = now + 10_000; now < end; now += 0.7) if (bucket.take('a').retryAfterSeconds === 0) passed += 1
    expect(passed).toBeGreaterThanOrEqual(400 + 1_998)
    expect(passed).toBeLessThanOrEqual(400 + 2_000)
  })

  test('belongs to one subject', () => {
    const bucket = limit(1, 1)
    expect(['a', 'b', 'a'].map((subject) => bucket.take(subject).retryAfterSeconds > 0)).toEqual([false, false, true])
  })

  test('is evicted beyond the maximum of subjects: the least recently used first', () => {
    const bucket = limit(1, 1, 2)
    for (const subject of ['a', 'b', 'a', 'c']) bucket.take(subject)
    expect(['a', 'b'].map((subject) => bucket.take(subject).retryAfterSeconds > 0)).toEqual([true, false])
  })
})

/** The clock of the buckets in the worlds below. A test advances the clock. */
let clock = 1_000_000
const ownClock = (deps: Deps): Deps => {
  const frozen = ({ policy }: RateLimit) => createRateLimit(policy, { now: () => clock })
  const { credential, tenant } = deps.limits
  return { ...deps, limits: { ...deps.limits, credential: frozen(credential), tenant: frozen(tenant) } }
}

const path = '/v1/payment-proxy/transactions'
const readQuotas = ({ headers }: Response) => [headers['ratelimit-policy'], headers['ratelimit']]
const readRejection = ({ status, body }: Response) => [status, body.code]

describe('a response to an authenticated caller reports the rate limits', () => {
  let world: World
  let tenant: TestTenant
  beforeAll(async () => {
    const env = { REQUESTS_PER_SECOND_PER_KEY: '1', REQUEST_BURST_PER_KEY: '30' }
    world = await startWorld({ env, alter: ownClock })
    tenant = await world.tenant()
    world.upstream.respond((_request, response) => {
      response.writeHead(404, { 'Content-Type': 'application/problem+json', RateLimit: '"x";r=1' }).end('{"code":"x"}')
    })
  })
  afterAll(() => world.stop())

  test('of the key and of the tenant, in the format of the draft', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    const reply = await world.send('get', '/v1/api-key/keys', key).expect(200)
    expect(readQuotas(reply)).toEqual(['"key";q=30;w=30, "tenant";q=2000;w=1', '"key";r=29;t=1, "tenant";r=1999;t=1'])
  })

  test('of the user, with a JWT', async () => {
    const bearer = world.issuer.token(tenant.id, ['admin'], { subject: 'bob' })
    const reply = await world.send('get', '/v1/api-key/keys', { bearer }).expect(200)
    expect(readQuotas(reply)[0]).toBe('"user";q=30;w=30, "tenant";q=2000;w=1')
    expect(readQuotas(reply)[1]).toMatch(/^"user";r=29;t=1, "tenant";r=\d+;t=1$/)
  })

  test('in a rejection by the gateway or by the service too', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey', 'transaction:ReadTransaction'])
    const left = async (reply: Response) => /^"key";r=(\d+);/.exec(reply.headers['ratelimit'] ?? '')?.[1]
    const malformed = await world.send('get', path, { ...key, traceId: 'x' }).expect(400)
    const denied = await world.send('post', path, key).expect(403)
    const missing = await world.send('get', `${path}/${randomUUID()}`, key).expect(404)
    expect(await Promise.all([malformed, denied, missing].map(left))).toEqual(['29', '28', '27'])
  })

  test('but not without a valid credential', async () => {
    const replies = [
      await world.send('get', '/nowhere', tenant.admin).expect(404),
      await world.send('get', path, { ...tenant.admin, bearer: 'guess' }).expect(401),
    ]
    expect(replies.map(readQuotas)).toEqual(Array(2).fill([undefined, undefined]))
  })
})

describe('beyond its rate limit', () => {
  let world: World
  beforeAll(async () => {
    const slow = { REQUESTS_PER_SECOND_PER_KEY: '1', REQUESTS_PER_SECOND_PER_TENANT: '1' }
    const env = { ...slow, REQUEST_BURST_PER_KEY: '3', REQUEST_BURST_PER_TENANT: '5' }
    world = await startWorld({ env, alter: ownClock })
    world.upstream.respond((_request, response) => void response.end('{}'))
  })
  afterAll(() => world.stop())
  const spend = async (times: number, credential: TestTenant['admin'], to = path) => {
    const replies = await Promise.all(Array.from({ length: times }, () => world.send('get', to, credential)))
    return replies.map(({ status }) => status).sort((a, b) => a - b)
  }

  test('a key gets 429 with Retry-After, and then is admitted; another key of the tenant is admitted at once', async () => {
    const tenant = await world.tenant()
    expect(await spend(4, tenant.admin)).toEqual([200, 200, 200, 429])
    const reply = await world.send('get', path, tenant.admin)
    expect(readRejection(reply)).toEqual([429, 'rate_limited'])
    expect(reply.headers['retry-after']).toBe('1')
    expect(readQuotas(reply)).toEqual(['"key";q=3;w=3, "tenant";q=5;w=5', '"key";r=0;t=3'])
    await world.send('get', path, await tenant.keyWith(['transaction:ReadTransaction'])).expect(200)
    clock += 999
    await world.send('get', path, tenant.admin).expect(429)
    clock += 1
    await world.send('get', path, tenant.admin).expect(200)
  })

  test('a tenant is rejected with every key, and another tenant is not', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const second = await tenant.keyWith(['transaction:ReadTransaction'])
    expect(await spend(3, tenant.admin)).toEqual([200, 200, 200])
    expect(await spend(3, second)).toEqual([200, 200, 429])
    await world.send('get', path, other.admin).expect(200)
  })

  test('users of one name in two tenants have separate limits', async () => {
    const credentials = [await world.tenant(), await world.tenant()].map(({ id }) => ({
      bearer: world.issuer.token(id, ['admin']),
    }))
    for (const credential of credentials) {
      for (let i = 0; i < 3; i += 1) expect((await world.send('get', path, credential)).status).toBe(200)
    }
  })

  test('a caller without the permission gets 403 before 429, and the request counts', async () => {
    const tenant = await world.tenant()
    const reader = await tenant.keyWith(['transaction:ReadTransaction'])
    for (let i = 0; i < 4; i += 1) await world.send('post', path, reader).expect(403)
    expect((await world.send('get', path, reader)).status).toBe(429)
  })
})

describe('reveals', () => {
  let world: World
  let tenant: TestTenant
  beforeAll(async () => {
    world = await startWorld()
    tenant = await world.tenant()
    world.upstream.respond((_request, response) => void response.end('{}'))
  })
  afterAll(() => world.stop())
  const ofSecret = () => `/v1/webhooks/${randomUUID()}/webhooks/${randomUUID()}/reveal`
  const ofKey = (id: string) => `/v1/api-key/keys/${id}/reveal`

  test('are five a minute per actor over all services, denied ones included; of ten at once, five pass', async () => {
    const actor = await tenant.keyWith(['apikey:RevealKey', 'apikey:ReadKey'])
    const denied = await Promise.all([ofSecret(), ofSecret()].map((to) => world.send('get', to, actor)))
    expect(denied.map(readRejection)).toEqual(Array(2).fill([403, 'permission_denied']))
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.send('get', ofKey(actor.id), actor)))
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    const last = await world.send('get', ofKey(actor.id), actor)
    expect(readRejection(last)).toEqual([429, 'rate_limited'])
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(50)
    expect(Number(last.headers['retry-after'])).toBeLessThanOrEqual(60)
    await world.send('get', ofSecret(), tenant.admin).expect(200)
    await world.send('get', '/v1/api-key/keys', actor).expect(200)
  })

  test('are rejected while they cannot be counted; other requests pass', async () => {
    const dead = createServer()
    const port = await listen(dead, { host: '127.0.0.1', port: 0 })
    await stopServer(dead, 0)
    const store = client(apiKey, {
      self: 'gateway',
      baseUrl: `http://127.0.0.1:${port}`,
      keys: world.edges,
      timeoutMs: 500,
    })
    const { takeReveal } = createSharedCounters({ store, revealsPerMinute: 5, onFailure: () => {} })
    const cut = await startWorld({ alter: (deps) => ({ ...deps, limits: { ...deps.limits, takeReveal } }) })
    try {
      let reached = 0
      cut.upstream.respond((_request, response) => {
        reached += 1
        response.end('{}')
      })
      const own = await cut.tenant()
      const reply = await cut.send('get', ofSecret(), own.admin)
      expect(readRejection(reply)).toEqual([503, 'authorization_unavailable'])
      expect(reply.headers['retry-after']).toBe('1')
      expect(reached).toBe(0)
      await cut.send('get', ofSecret(), await own.keyWith(['apikey:ReadKey'])).expect(403)
      await cut.send('get', path, own.admin).expect(200)
    } finally {
      await cut.stop()
    }
  })
})
