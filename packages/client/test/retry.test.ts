import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { PaymentServiceConnectionError } from '../src/errors.ts'
import { defaultRetryPolicy, retryAfterMs, retryDelayMs } from '../src/retry.ts'
import { type Gateway, gateway, json, problem, receivedHeaders } from './gateway.ts'

let one: Gateway

beforeEach(async () => {
  one = await gateway()
})

afterEach(() => one.close())

const payment = { body: { business_unit_id: 'a', currency: 'EUR', amount: 1 } }

/** The server ends the connection without a response. */
const cutOnce = () => {
  let count = 0
  one.server.respondWith((_received, response: ServerResponse) => {
    count += 1
    if (count > 1) return json(200, { id: 'a' })
    response.destroy()
    return undefined
  })
}

test.each([
  ['429', problem(429, 'rate_limited')],
  ['408', problem(408, 'request_timeout')],
  ['502', problem(502, 'provider_unreachable')],
  ['503', problem(503, 'service_unavailable')],
  ['504', problem(504, 'upstream_timeout')],
  ['409 of an attempt in progress', problem(409, 'idempotency_key_in_use')],
  ['409 of another operation in progress', problem(409, 'operation_in_progress')],
])(
  'a POST with an Idempotency-Key is repeated after %s, with the same key, Trace-ID and body',
  async (_what, reply) => {
    one.reply(reply, reply, json(201, { id: 'a' }))
    expect(await one.client.createTransaction(payment)).toEqual({ id: 'a' })
    expect(one.server.received).toHaveLength(3)
    for (const name of ['idempotency-key', 'trace-id']) expect(new Set(receivedHeaders(one.server, name)).size).toBe(1)
    expect(new Set(one.server.received.map(({ body }) => body.toString('utf8'))).size).toBe(1)
  },
)

test('a lost connection is repeated for a POST with an Idempotency-Key', async () => {
  cutOnce()
  expect(await one.client.createTransaction(payment)).toEqual({ id: 'a' })
  expect(new Set(receivedHeaders(one.server, 'idempotency-key')).size).toBe(1)
})

test('a connection lost in the middle of the response is repeated', async () => {
  let count = 0
  one.server.respondWith((_received, response: ServerResponse) => {
    count += 1
    if (count > 1) return json(200, { id: 'a' })
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"id":', () => response.destroy())
    return undefined
  })
  expect(await one.client.readTransaction({ transaction_id: 'a' })).toEqual({ id: 'a' })
  expect(count).toBe(2)
})

test.each([
  ['GET', () => one.client.readTransaction({ transaction_id: 'a' })],
  ['PUT', () => one.client.assignRoles({ api_key_id: 'a', body: { role_ids: [] } })],
  ['DELETE', () => one.client.deleteKey({ api_key_id: 'a' })],
])('a %s is repeated after a lost connection', async (_method, send) => {
  cutOnce()
  await send()
  expect(one.server.received).toHaveLength(2)
})

test.each([
  ['PATCH', () => one.client.updateKey({ api_key_id: 'a', body: { name: 'b' } })],
  ['POST without an Idempotency-Key', () => one.client.syncTransaction({ transaction_id: 'a' })],
])('a %s is not repeated after a lost connection or a 503, because it may have had an effect', async (_what, send) => {
  cutOnce()
  await expect(send()).rejects.toBeInstanceOf(PaymentServiceConnectionError)
  one.reply(problem(503, 'service_unavailable'), json(200, {}))
  await expect(send()).rejects.toMatchObject({ status: 503, attempts: 1 })
  expect(one.server.received).toHaveLength(2)
})

test.each([
  ['rate_limited', 429],
  ['authorization_unavailable', 503],
  ['request_timeout', 408],
])('a PATCH is repeated after %s, which precedes every effect', async (code, status) => {
  one.reply(problem(status, code), json(200, {}))
  await one.client.updateKey({ api_key_id: 'a', body: { name: 'b' } })
  expect(one.server.received).toHaveLength(2)
})

test.each([400, 401, 402, 404, 409, 422, 500])('a %i is not repeated', async (status) => {
  one.reply(problem(status, 'some_code'))
  await expect(one.client.createTransaction(payment)).rejects.toMatchObject({ status, attempts: 1 })
  expect(one.server.received).toHaveLength(1)
})

test('stops after attemptsMax, and throws the last problem', async () => {
  one.reply(problem(503, 'service_unavailable'))
  await expect(one.client.createTransaction(payment)).rejects.toMatchObject({ status: 503, attempts: 4 })
  await expect(one.client.createTransaction(payment, { attemptsMax: 2 })).rejects.toMatchObject({ attempts: 2 })
  expect(one.server.received).toHaveLength(6)
})

test('waits as long as Retry-After says', async () => {
  one.reply(problem(429, 'rate_limited', {}, { 'retry-after': '1' }), json(200, {}))
  await one.client.readOwnKey()
  const [first, second] = one.server.received.map(({ at }) => at.getTime())
  expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(900)
})

test('a Retry-After beyond the limit is not waited for; the error has it', async () => {
  one.reply(problem(503, 'service_unavailable', {}, { 'retry-after': '3600' }))
  await expect(one.client.readOwnKey()).rejects.toMatchObject({ attempts: 1, retryAfterMs: 3_600_000 })
})

test('a response that does not arrive within timeoutMs is a time-out', async () => {
  one.server.respondWith(() => undefined)
  const call = one.client.readOwnKey({}, { timeoutMs: 50, attemptsMax: 2 })
  await expect(call).rejects.toMatchObject({ name: 'PaymentServiceConnectionError', isTimeout: true, attempts: 2 })
})

test('the signal of the caller ends an attempt', async () => {
  const controller = new AbortController()
  const reason = new Error('The shop closed')
  one.server.respondWith(() => {
    controller.abort(reason)
    return undefined
  })
  await expect(one.client.createTransaction(payment, { signal: controller.signal })).rejects.toBe(reason)
  expect(one.server.received).toHaveLength(1)
})

test('the signal of the caller ends a wait', async () => {
  // Longer than the time-out of this test.
  const patient = await gateway({ retry: { retryAfterMsMax: 900_000 } })
  patient.reply(problem(503, 'service_unavailable', {}, { 'retry-after': '900' }))
  const controller = new AbortController()
  const reason = new Error('The shop closed')
  const listen = controller.signal.addEventListener.bind(controller.signal)
  let listeners = 0
  controller.signal.addEventListener = (...args: Parameters<typeof listen>) => {
    listen(...args)
    listeners += 1
    // The attempt has the first listener, the wait has the second.
    if (listeners === 2) controller.abort(reason)
  }
  await expect(patient.client.readOwnKey({}, { signal: controller.signal })).rejects.toBe(reason)
  await patient.close()
})

test.each<[string, (abort: () => void) => string | Promise<string>]>([
  ['returned', (abort) => (abort(), 'psk_dev_value')],
  ['pending', (abort) => new Promise(() => setImmediate(abort))],
])('an abort while the credential is read sends nothing: %s', async (_what, credential) => {
  const controller = new AbortController()
  const reason = new Error('The shop closed')
  const other = await gateway({ credential: () => credential(() => controller.abort(reason)) })
  await expect(other.client.createTransaction(payment, { signal: controller.signal })).rejects.toBe(reason)
  expect(other.server.received).toEqual([])
  await other.close()
})

test('a credential that does not arrive within timeoutMs is a time-out, and nothing is sent', async () => {
  const other = await gateway({ credential: () => new Promise<string>(() => {}) })
  const call = other.client.createTransaction(payment, { timeoutMs: 50, attemptsMax: 2 })
  await expect(call).rejects.toMatchObject({ name: 'PaymentServiceConnectionError', isTimeout: true, attempts: 2 })
  expect(other.server.received).toEqual([])
  await other.close()
})

test('an aborted signal sends nothing', async () => {
  const reason = new Error('Before')
  const signal = AbortSignal.abort(reason)
  await expect(one.client.readOwnKey({}, { signal })).rejects.toBe(reason)
  expect(one.server.received).toEqual([])
})

test('the wait is random below a bound that doubles, and Retry-After comes on top', () => {
  const waits = [1, 2, 3].map((attempts) => retryDelayMs(defaultRetryPolicy, attempts, undefined, 1))
  expect(waits).toEqual([250, 500, 1_000])
  expect(retryDelayMs(defaultRetryPolicy, 1, undefined, 0)).toBe(0)
  expect(retryDelayMs(defaultRetryPolicy, 1, 2_000, 0.5)).toBe(2_125)
  expect(retryDelayMs({ ...defaultRetryPolicy, attemptsMax: 100 }, 50, undefined, 1)).toBe(8_000)
  expect(retryDelayMs(defaultRetryPolicy, 4, undefined, 1)).toBeUndefined()
})

test.each([
  ['7', 7_000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:00:11 GMT', 10_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('reads Retry-After %j', (header, expected) => {
  expect(retryAfterMs(header, 1_000)).toBe(expected)
})
