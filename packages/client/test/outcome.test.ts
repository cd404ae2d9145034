import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Reply } from '@payments/testing/peers/receiver'
import {
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PaymentDeclinedError,
  PaymentServiceError,
  PermissionError,
  RateLimitError,
  UnprocessableError,
} from '../src/errors.ts'
import { defaultRetryPolicy, inProgressDelayMs } from '../src/retry.ts'
import { type Gateway, gateway, json, problem, receivedHeaders } from './gateway.ts'

/** Errors, and the effect of their call. */
let one: Gateway

beforeEach(async () => {
  one = await gateway()
})

afterEach(() => one.close())

const payment = { body: { business_unit_id: 'a', currency: 'EUR', amount: 1 } }
const inUse = problem(409, 'idempotency_key_in_use')

/** The first attempt arrives, and its response is lost; the replies are for the attempts after it. */
function loseFirst(...replies: Reply[]): void {
  let count = 0
  one.server.respondWith((_received, response: ServerResponse) => {
    count += 1
    if (count > 1) return replies[Math.min(count - 2, replies.length - 1)]
    response.destroy()
    return undefined
  })
}

test('after a lost first attempt that is still in progress, the outcome is unknown', async () => {
  const other = await gateway({ retry: { inProgressMsMax: 0 } })
  let count = 0
  other.server.respondWith((_received, response: ServerResponse) => {
    count += 1
    if (count > 1) return inUse
    response.destroy()
    return undefined
  })
  await expect(other.client.createTransaction(payment)).rejects.toMatchObject({
    code: 'idempotency_key_in_use',
    attempts: 2,
    mayHaveTakenEffect: true,
  })
  await other.close()
})

test('waits for an attempt in progress beyond attemptsMax, and returns its result', async () => {
  const soon = problem(409, 'idempotency_key_in_use', {}, { 'retry-after': '0' })
  loseFirst(soon, soon, soon, soon, soon, soon, json(201, { id: 'a' }, { 'idempotent-replayed': 'true' }))
  const { data, attempts, isReplayed } = await one.client.createTransaction(payment).withResponse()
  expect([data, attempts, isReplayed]).toEqual([{ id: 'a' }, 8, true])
  expect(new Set(receivedHeaders(one.server, 'idempotency-key')).size).toBe(1)
})

test('an attempt in progress is not waited for with attemptsMax 1', async () => {
  one.reply(inUse)
  await expect(one.client.createTransaction(payment, { attemptsMax: 1 })).rejects.toMatchObject({
    attempts: 1,
    mayHaveTakenEffect: true,
  })
})

test('the wait for an attempt in progress is bounded, follows Retry-After, and is never a busy loop', () => {
  const wait = (waitedMs: number, retryAfterMs?: number) =>
    inProgressDelayMs(defaultRetryPolicy, waitedMs, retryAfterMs, 0)
  expect([wait(0), wait(0, 3_000), wait(0, 0)]).toEqual([1_000, 3_000, 100])
  expect([wait(29_000), wait(29_001), wait(0, 30_001)]).toEqual([1_000, undefined, undefined])
})

test.each<[boolean, string, Reply]>([
  [false, 'a rejected request', problem(400, 'invalid_request')],
  [false, 'a rejected credential', problem(401, 'invalid_credentials')],
  [false, 'a decline, which is the outcome', problem(402, 'payment_declined')],
  [false, 'another operation in progress', problem(409, 'operation_in_progress')],
  [false, 'an impossible request', problem(422, 'amount_exceeds_capturable')],
  [false, 'too many requests', problem(429, 'rate_limited')],
  [false, 'a provider that was not reached', problem(502, 'provider_unreachable')],
  [false, 'a credential that could not be checked', problem(503, 'authorization_unavailable')],
  [true, 'a request with the key in progress', inUse],
  [true, 'a defect', problem(500, 'internal_error')],
  [true, 'a service that may have the request', problem(503, 'service_unavailable')],
  [true, 'a service without a response in time', problem(504, 'upstream_timeout')],
  [true, 'a page of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }],
])('mayHaveTakenEffect is %j after %s', async (mayHaveTakenEffect, _what, reply) => {
  one.reply(reply)
  const captured = one.client.captureTransaction({ transaction_id: 'a' }, { attemptsMax: 1 })
  await expect(captured).rejects.toMatchObject({ mayHaveTakenEffect })
})

test.each<[boolean, string, Reply]>([
  [true, 'a key that was deleted meanwhile', problem(401, 'invalid_credentials')],
  [true, 'a state that the lost attempt may have caused', problem(409, 'invalid_transaction_state')],
  [false, 'a decline', problem(402, 'payment_declined')],
  [false, 'a stored response', problem(409, 'any', {}, { 'idempotent-replayed': 'true' })],
])('after a lost first attempt, mayHaveTakenEffect is %j after %s', async (mayHaveTakenEffect, _what, reply) => {
  loseFirst(reply)
  await expect(one.client.captureTransaction({ transaction_id: 'a' })).rejects.toMatchObject({
    attempts: 2,
    mayHaveTakenEffect,
  })
})

test('a lost connection may have had an effect, unless nothing was sent or the request only reads', async () => {
  const cut = () => one.server.respondWith((_received, response: ServerResponse) => void response.destroy())
  cut()
  const once = { attemptsMax: 1 }
  await expect(one.client.createTransaction(payment, once)).rejects.toMatchObject({ mayHaveTakenEffect: true })
  await expect(one.client.readOwnKey({}, once)).rejects.toMatchObject({ mayHaveTakenEffect: false })
  const silent = await gateway({ credential: () => new Promise<string>(() => {}) })
  const unsent = silent.client.createTransaction(payment, { ...once, timeoutMs: 50 })
  await expect(unsent).rejects.toMatchObject({ isTimeout: true, mayHaveTakenEffect: false })
  await silent.close()
})

const declined = {
  transaction_id: 't1',
  operation_id: 'o1',
  decline_code: 'insufficient_funds',
  retryable: true,
  provider_code: '51',
}

test('a decline is a PaymentDeclinedError with its members', async () => {
  one.reply(problem(402, 'payment_declined', declined))
  const error = await one.client.createTransaction(payment).catch((caught: unknown) => caught)
  if (!(error instanceof PaymentDeclinedError)) throw error
  const { declineCode, isRetryable, providerCode, transactionId, operationId } = error
  expect([declineCode, isRetryable, providerCode]).toEqual(['insufficient_funds', true, '51'])
  expect([transactionId, operationId]).toEqual(['t1', 'o1'])
  expect(error).toBeInstanceOf(PaymentServiceError)
  expect(error.problem.decline_code).toBe('insufficient_funds')
})

test.each([
  [400, InvalidRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [422, UnprocessableError],
  [429, RateLimitError],
  [418, PaymentServiceError],
])('a problem with status %i has a class of its own', async (status, type) => {
  one.reply(problem(status, 'some_code', { amount_capturable: 5 }))
  const error = await one.client.createTransaction(payment, { attemptsMax: 1 }).catch((caught: unknown) => caught)
  if (!(error instanceof PaymentServiceError)) throw error
  expect([error.constructor, error.name]).toEqual([type, type.name])
  expect(error.problem?.amount_capturable).toBe(5)
})
