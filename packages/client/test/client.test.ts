import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createClient } from '../src/client.ts'
import { PaymentServiceError } from '../src/errors.ts'
import { type Gateway, gateway, json, problem, readBody, receivedHeaders, tenantId } from './gateway.ts'

let one: Gateway

beforeEach(async () => {
  one = await gateway()
})

afterEach(() => one.close())

const catchRejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('sends credential, tenant, a Trace-ID per call and a JSON body, and returns the body of the response', async () => {
  one.reply(json(201, { id: 'a' }))
  const body = { business_unit_id: randomUUID(), currency: 'EUR', amount: 1999 }
  expect(await one.client.createTransaction({ body })).toEqual({ id: 'a' })
  await one.client.createTransaction({ body })
  const [first] = one.server.received
  expect([first?.method, first?.path]).toEqual(['POST', '/v1/payment-proxy/transactions'])
  expect(readBody(first)).toEqual(body)
  expect(first?.headers).toMatchObject({
    authorization: 'Bearer psk_dev_value',
    'tenant-id': tenantId,
    'content-type': 'application/json',
  })
  for (const name of ['trace-id', 'idempotency-key']) {
    const values = receivedHeaders(one.server, name)
    expect(values).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(new Set(values).size).toBe(2)
  }
})

test('sends the Trace-ID and the Idempotency-Key that the caller gives', async () => {
  one.reply(json(200, {}))
  const [traceId, idempotencyKey] = [randomUUID(), 'order-17']
  await one.client.voidTransaction({ transaction_id: 'a' }, { traceId, idempotencyKey })
  expect(one.server.received[0]?.headers).toMatchObject({ 'trace-id': traceId, 'idempotency-key': idempotencyKey })
})

test('an operation that takes no Idempotency-Key sends none, and rejects one that is given', async () => {
  one.reply(json(200, {}))
  await one.client.readTransaction({ transaction_id: 'a' })
  await one.client.syncTransaction({ transaction_id: 'a' })
  expect(receivedHeaders(one.server, 'idempotency-key')).toEqual([undefined, undefined])
  const rejected = one.client.readTransaction({ transaction_id: 'a' }, { idempotencyKey: 'a' })
  await expect(rejected).rejects.toThrow('readTransaction takes no idempotencyKey')
})

test('writes path and query, encoded', async () => {
  one.reply(json(200, { data: [], next_cursor: null }))
  await one.client.listDeliveries({ business_unit_id: 'a/b', event_type: 'x&y=z', limit: 2 }).page()
  expect(one.server.received[0]?.path).toBe('/v1/webhooks/a%2Fb/deliveries?event_type=x%26y%3Dz&limit=2')
})

test.each(['', '.', '..', undefined, 7])('rejects the identifier %j, which names another path', async (value) => {
  const rejected = one.client.readTransaction({ transaction_id: value as string })
  await expect(rejected).rejects.toThrow('transaction_id must be an identifier')
  expect(one.server.received).toEqual([])
})

test('rejects a query value that is no single value', async () => {
  const list = one.client.listTransactions({ status: ['captured'] as unknown as 'captured' })
  await expect(list.page()).rejects.toThrow('status must be a single value')
})

test('a response without a body resolves with undefined', async () => {
  one.reply({ status: 204 })
  expect(await one.client.deleteKey({ api_key_id: 'a' })).toBeUndefined()
})

test('a credential that is a function is read for each attempt', async () => {
  const values = ['first', 'second']
  const other = await gateway({ credential: async () => values.shift() ?? 'none' })
  other.reply(problem(503, 'service_unavailable'), json(200, {}))
  await other.client.readOwnKey()
  expect(receivedHeaders(other.server, 'authorization')).toEqual(['Bearer first', 'Bearer second'])
  await other.close()
})

test('a problem is thrown with status, code, detail, errors, trace id and its own members', async () => {
  const errors = [{ pointer: '/amount', detail: 'must be at least 1' }]
  one.reply(problem(402, 'payment_declined', { errors, decline_code: 'insufficient_funds' }))
  const call = one.client.createTransaction(
    { body: { business_unit_id: 'a', currency: 'EUR' } },
    { idempotencyKey: 'k' },
  )
  const error = await catchRejection(call)
  expect(error).toBeInstanceOf(PaymentServiceError)
  expect(error).toMatchObject({
    operation: 'createTransaction',
    status: 402,
    code: 'payment_declined',
    detail: 'Detail of payment_declined',
    errors,
    traceId: 'trace',
    idempotencyKey: 'k',
    attempts: 1,
    problem: { decline_code: 'insufficient_funds' },
  })
})

test.each([
  ['HTML of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }, 502],
  ['another JSON', json(400, { message: 'no' }), 400],
  ['a redirect, which is not followed', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 307],
  ['a success that is not JSON', { status: 200, body: 'ok' }, 200],
])('a response that is neither problem nor result is unexpected_response: %s', async (_what, reply, status) => {
  one.reply(reply)
  const traceId = randomUUID()
  const error = await catchRejection(one.client.readTransaction({ transaction_id: 'a' }, { traceId }))
  expect(error).toMatchObject({ name: 'PaymentServiceError', status, code: 'unexpected_response', traceId, errors: [] })
})

test('a redirect that a browser hides is no response', async () => {
  const fetch = async () => Response.error()
  const client = createClient({ ...valid, fetch, retry: { attemptsMax: 2, delayMs: 1 } })
  const error = await catchRejection(client.readTransaction({ transaction_id: 'a' }))
  expect(error).toMatchObject({ name: 'PaymentServiceConnectionError', attempts: 2 })
})

const valid = { baseUrl: 'https://api.example.com', credential: 'psk_live_value' }

test.each([
  ['baseUrl', { baseUrl: 'api.example.com' }],
  ['baseUrl', { baseUrl: 'http://api.example.com' }],
  ['baseUrl', { baseUrl: 'ftp://127.0.0.1' }],
  ['baseUrl', { baseUrl: 'https://user:password@api.example.com' }],
  ['baseUrl', { baseUrl: 'https://api.example.com?a=1' }],
  ['credential', { credential: '' }],
  ['tenantId', { tenantId: '' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['retry.attemptsMax', { retry: { attemptsMax: 0 } }],
  ['retry.delayMs', { retry: { delayMs: -1 } }],
])('an option that is not usable is named: %s', (name, options) => {
  expect(() => createClient({ ...valid, ...options })).toThrow(`${name} must`)
})

test.each([
  { baseUrl: 'https://api.example.com/' },
  { baseUrl: 'http://localhost:3000' },
  { baseUrl: 'http://127.0.0.1:3000' },
  { baseUrl: 'http://[::1]:3000' },
  { baseUrl: 'http://gateway.payments', allowHttp: true },
])('accepts %j', (options) => {
  expect(Object.isFrozen(createClient({ ...valid, ...options }))).toBe(true)
})

test.each(['', 'psk_dev_value\n', 'two words', 'psk_dev_ü'])(
  'rejects the credential %j without its value',
  async (value) => {
    expect(() => createClient({ ...valid, credential: value })).toThrow('credential must be')
    const other = await gateway({ credential: () => value })
    const error = await catchRejection(other.client.readOwnKey())
    expect(error).toBeInstanceOf(TypeError)
    expect((error as TypeError).message).toMatch(/^credential must be the value of an API key or a JWT/)
    if (value !== '')
      expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain(value.trim())
    expect(other.server.received).toEqual([])
    await other.close()
  },
)

test.each([200, 503])('a %i with more than 32 MiB is unexpected_response, and is not repeated', async (status) => {
  one.reply({ status, body: Buffer.alloc(32 * 1024 * 1024 + 1) })
  const error = await catchRejection(one.client.readTransaction({ transaction_id: 'a' }))
  expect(error).toMatchObject({ name: 'PaymentServiceError', status, code: 'unexpected_response', attempts: 1 })
  expect(one.server.received).toHaveLength(1)
})

test('with a session, sends no credential but the header that lets the gateway take the cookie', async () => {
  const page = createClient({ baseUrl: one.server.url, session: true })
  one.reply(json(200, {}))
  await page.voidTransaction({ transaction_id: 'a' })
  const headers = one.server.received[0]?.headers
  expect(headers).toMatchObject({ 'x-console': '1', 'trace-id': expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(headers?.['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  expect([headers?.authorization, headers?.['tenant-id']]).toEqual([undefined, undefined])
})

test('with a session, each attempt names the tenant of the page, and none is sent while the page has no tenant', async () => {
  let shown: string | undefined = tenantId
  const page = createClient({ baseUrl: one.server.url, session: true, tenantId: () => shown as string })
  one.reply(json(503, {}), json(200, {}))
  await page.readTransaction({ transaction_id: 'a' })
  expect(one.server.received.map(({ headers }) => headers['tenant-id'])).toEqual([tenantId, tenantId])
  shown = undefined
  const error = await catchRejection(page.voidTransaction({ transaction_id: 'a' }))
  expect([error instanceof TypeError, one.server.received.length]).toEqual([true, 2])
})

test('after a switch of tenant in another tab, a call with a session rejects once, without an effect', async () => {
  const page = createClient({ baseUrl: one.server.url, session: true, tenantId })
  one.reply(problem(401, 'session_of_another_tenant'))
  const error = await catchRejection(page.voidTransaction({ transaction_id: 'a' }))
  expect(error).toMatchObject({
    name: 'AuthenticationError',
    code: 'session_of_another_tenant',
    attempts: 1,
    mayHaveTakenEffect: false,
  })
})

test('a session goes without credential and, outside of a page, without a default address', () => {
  const beside = 'session goes without credential'
  expect(() => createClient({ baseUrl: 'https://a.example', session: true, credential: 'a' })).toThrow(beside)
  expect(() => createClient({ session: true })).toThrow('baseUrl must be a URL')
  expect(() => createClient({ baseUrl: 'https://a.example' })).toThrow('credential must be the value')
})
