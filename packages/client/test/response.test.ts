import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { groups, operations } from '../src/generated/operations.ts'
import { type Gateway, gateway, json, problem, receivedHeaders } from './gateway.ts'

let one: Gateway

beforeEach(async () => {
  one = await gateway()
})

afterEach(() => one.close())

test('withResponse has status, trace id and headers beside the body, and sends nothing again', async () => {
  one.reply(problem(503, 'service_unavailable'), json(202, { id: 'a' }, { ratelimit: '"key";r=99;t=1' }))
  const [traceId, idempotencyKey] = [randomUUID(), 'order-17']
  const call = one.client.captureTransaction({ transaction_id: 'a' }, { traceId, idempotencyKey })
  const { headers, ...response } = await call.withResponse()
  expect(response).toEqual({ data: { id: 'a' }, status: 202, traceId, idempotencyKey, attempts: 2, isReplayed: false })
  expect(headers.get('RateLimit')).toBe('"key";r=99;t=1')
  expect(await call).toEqual({ id: 'a' })
  expect(one.server.received).toHaveLength(2)
})

test('withResponse rejects as the call does, and leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  one.reply(problem(404, 'transaction_not_found'))
  const rejected = one.client.readTransaction({ transaction_id: 'a' }).withResponse()
  await expect(rejected).rejects.toMatchObject({ code: 'transaction_not_found' })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listener)
  expect(unhandled).toEqual([])
})

test('a page of a list has its response too', async () => {
  one.reply(json(200, { data: [{ id: 'a' }], next_cursor: null }))
  const { data, status } = await one.client.listTransactions().page().withResponse()
  expect([data, status]).toEqual([{ data: [{ id: 'a' }], next_cursor: null }, 200])
})

test('an operation of a group is the operation of its flat name', async () => {
  one.reply(json(200, { id: 'a' }))
  await one.client.transactions.capture({ transaction_id: 'a', body: { amount: 5 } }, { idempotencyKey: 'k' })
  expect(one.server.received[0]?.path).toBe('/v1/payment-proxy/transactions/a/capture')
  expect(receivedHeaders(one.server, 'idempotency-key')).toEqual(['k'])
  expect(one.client.transactions.capture).toBe(one.client.captureTransaction)
})

test('each operation belongs to one group, and no group has the name of an operation', () => {
  const members = Object.values(groups).flatMap((group) => Object.values<string>(group))
  expect(members.sort()).toEqual(Object.keys(operations).sort())
  for (const group of Object.keys(groups)) expect([group, group in operations]).toEqual([group, false])
  expect(Object.isFrozen(one.client.transactions)).toBe(true)
})
