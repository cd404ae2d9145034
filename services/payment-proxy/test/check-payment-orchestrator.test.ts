import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { checkReasons } from '@payments/contracts/services/payment-proxy/orchestrators'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import { createApp } from '../src/app.ts'
import type { Accounts } from '../src/connectors/accounts.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import { createProviderCalls } from '../src/connectors/provider-calls.ts'
import { createStripeConnector } from '../src/connectors/stripe/stripe-connector.ts'
import { type HttpReply, httpServer } from './http-server.ts'
import { startReferenceProvider } from './reference-provider/server.ts'
import { startStripe } from './stripe-stand-in/server.ts'
import { actionRules, startWorld, statuses, type World } from './world.ts'

let world: World
let stripe: Awaited<ReturnType<typeof startStripe>>
let adapter: Awaited<ReturnType<typeof startReferenceProvider>>
let client: HttpClient
beforeAll(async () => {
  world = await startWorld()
  stripe = await startStripe()
  adapter = await startReferenceProvider()
  client = createHttpClient({ allowPrivate: true })
})
afterAll(async () => {
  client.close()
  await Promise.all([stripe.close(), adapter.close()])
  await world.stop()
})

type Credentials = Readonly<Record<string, string>>

/** A new tenant whose unit has one payment orchestrator, with these credentials at business-unit. */
function checking(given: Partial<PaymentOrchestrator>, credentials: Credentials = {}, http = client) {
  const tenant = world.tenant()
  const id = randomUUID()
  const unit = tenant.unit({ orchestrators: [{ id, ...given }] }, 2)
  world.sourceUnits.set(tenant.businessUnitId, unit)
  const accounts: Accounts = {
    find: async (owner, one) => {
      if (one === null) throw new Error('the check has read the payment orchestrator')
      const { payment_gateway: connector, mode, gateway_url: gatewayUrl, settings } = one
      return { ...owner, connector, mode, gatewayUrl, settings, credentials, name: 'account' }
    },
  }
  const connectors = {
    sandbox: world.sandbox,
    http: createHttpConnector(http),
    stripe: createStripeConnector(http),
  }
  const provider = createProviderCalls({ connectors, accounts, timeoutMs: 500, log: world.deps.log, actionRules })
  const caller = tenant.through(createApp({ ...world.deps, providerCalls: provider }))
  return {
    tenant,
    check: (orchestratorId = id, unitId = tenant.businessUnitId) =>
      caller.send('post', `/v1/payment-proxy/business-units/${unitId}/payment-orchestrators/${orchestratorId}/check`),
  }
}

const reference = () => {
  const { keyId, secret } = adapter.account()
  return { key_id: keyId, secret }
}

const isAccepted = { ok: true, reason: 'accepted', detail: checkReasons.accepted }

test('the sandbox needs no call', async () => {
  const { status, body } = await checking({}).check()
  expect([status, body]).toEqual([200, { ...isAccepted, checked_at: expect.any(String) }])
  expect(Object.keys(body)).toHaveLength(4)
})

test('an adapter and Stripe accept their credentials, by one read each, and nothing is recorded', async () => {
  const before = adapter.calls.length
  const http = checking({ payment_gateway: 'http', gateway_url: `${adapter.url}/adapter` }, reference())
  expect((await http.check()).body).toMatchObject(isAccepted)
  expect(adapter.calls.slice(before).map(({ method, path }) => [method, path])).toEqual([
    ['GET', '/adapter/operations'],
  ])
  const card = checking({ payment_gateway: 'stripe', gateway_url: stripe.url }, { secret_key: stripe.account().key })
  expect((await card.check()).body).toMatchObject(isAccepted)
  expect(stripe.calls.at(-1)).toMatchObject({ method: 'GET', path: '/v1/payment_intents' })
  expect(await http.tenant.recorded()).toEqual([])
  expect(await http.tenant.events()).toEqual([])
})

test('wrong credentials are named as such, and the response has none of them', async () => {
  const secret = `sk_test_${randomUUID().replaceAll('-', '')}`
  const card = checking({ payment_gateway: 'stripe', gateway_url: stripe.url }, { secret_key: secret })
  const { status, body, text } = await card.check()
  expect([status, body]).toMatchObject([200, { ok: false, reason: 'credentials_rejected' }])
  expect(text).not.toContain(secret)
  const { key_id } = reference()
  const url = `${adapter.url}/adapter`
  const http = checking({ payment_gateway: 'http', gateway_url: url }, { key_id, secret: 'not-the-secret' })
  expect((await http.check()).body).toMatchObject({ ok: false, reason: 'credentials_rejected' })
})

const replies: [string, HttpReply, string][] = [
  ['403', { status: 403, body: {} }, 'credentials_rejected'],
  ['429', { status: 429, body: {} }, 'rate_limited'],
  ['500', { status: 500, body: {} }, 'unexpected_response'],
  ['404', { status: 404, body: {} }, 'unexpected_response'],
  ['a redirect', (response) => response.writeHead(307, { Location: '/elsewhere' }).end('{}'), 'unexpected_response'],
  ['another form', { status: 200, body: { echo: 'sk_secret' } }, 'unexpected_response'],
  ['no JSON', (response) => response.writeHead(200).end('<html>'), 'unexpected_response'],
  ['a lost connection', 'lost', 'unexpected_response'],
  ['no response', () => {}, 'timeout'],
]

test.each(replies)('a provider with %s', async (_case, reply, reason) => {
  const server = await httpServer(() => reply)
  for (const payment_gateway of ['http', 'stripe'] as const) {
    const given = { payment_gateway, gateway_url: server.url }
    const { check } = checking(given, { key_id: 'k', secret: 's', secret_key: 'sk_secret' })
    const { status, body, text } = await check()
    expect([status, body]).toMatchObject([200, { ok: false, reason }])
    expect(text).not.toContain('sk_secret')
  }
  await server.close()
})

test('a destination that the egress rules reject, or that is away, is unreachable', async () => {
  const server = await httpServer(() => ({ status: 200, body: { operations: [], next: null } }))
  const strict = createHttpClient({ allowPrivate: false })
  const given = { payment_gateway: 'http', gateway_url: server.url } as const
  const rejected = checking(given, { key_id: 'k', secret: 's' }, strict)
  expect((await rejected.check()).body).toMatchObject({ ok: false, reason: 'unreachable' })
  await server.close()
  const away = checking(given, { key_id: 'k', secret: 's' })
  expect((await away.check()).body).toMatchObject({ ok: false, reason: 'unreachable' })
  strict.close()
})

test('a payment orchestrator that is unknown or deleted, and an unknown unit, are not found', async () => {
  const { check } = checking({})
  expect(await check(randomUUID())).toMatchObject({ status: 404, body: { code: 'payment_orchestrator_not_found' } })
  const deleted = checking({ status: 'deleted' })
  expect(await deleted.check()).toMatchObject({ status: 404, body: { code: 'payment_orchestrator_not_found' } })
  const other = checking({})
  expect(await other.check(randomUUID(), randomUUID())).toMatchObject({
    status: 404,
    body: { code: 'business_unit_not_found' },
  })
})

test('a tenant checks ten times at once, and other tenants are not affected', async () => {
  const { check } = checking({})
  const responses = await Promise.all(Array.from({ length: 12 }, () => check()))
  expect(statuses(responses)).toEqual({ 200: 10, 429: 2 })
  const rejected = await check()
  expect(rejected.body.code).toBe('rate_limited')
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  expect((await checking({}).check()).status).toBe(200)
})
