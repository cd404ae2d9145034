import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operationsMax } from '@payments/contracts/services/payment-proxy/problems'
import { asInviteToPay } from './invitations.ts'
import { startWorld, statuses, type TestTenant, type World } from './world.ts'

/** The maximum of operations of a transaction. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Adds failed voids until the transaction has `count` operations. */
async function fillOperations(
  id: string,
  count: number,
  { reason = null, state = 'declined' }: { reason?: string | null; state?: 'declined' | 'not_attempted' } = {},
): Promise<void> {
  await world.rows(
    `INSERT INTO operations (id, tenant_id, transaction_id, number, type, state, amount, amount_released, reason,
       attempt_count, trace_id, created_at, completed_at)
     SELECT gen_random_uuid(), o.tenant_id, o.transaction_id, n, 'void', $4::"OperationState", o.amount, 0, $3::text, 1,
       o.trace_id, o.created_at, o.created_at
     FROM (SELECT * FROM operations WHERE transaction_id = $1::uuid ORDER BY number DESC LIMIT 1) AS o,
       generate_series(o.number + 1, $2::int) AS n`,
    id,
    count,
    reason,
    state,
  )
}

const countOf = async (tenant: TestTenant, id: string) => (await tenant.read(id)).body.operations.length

test('rejects an operation above the maximum before the provider is called, and a replay gets its response', async () => {
  const { tenant, id } = await world.captured()
  await fillOperations(id, operationsMax - 1)
  const key = randomUUID()
  const refunded = await tenant.refund(id, { amount: 1 }, key)
  expect(refunded.status).toBe(200)
  const before = [await tenant.ledger(), await tenant.eventTypes()]
  for (const isTaken of [false, true]) {
    world.takeLocks(isTaken)
    const { status, body } = await tenant.refund(id, { amount: 1 })
    expect([status, body.code]).toEqual([422, 'too_many_operations'])
  }
  world.takeLocks(false)
  expect([await tenant.ledger(), await tenant.eventTypes()]).toEqual(before)
  expect((await tenant.refund(id, { amount: 1 }, key)).body).toEqual(refunded.body)
  expect((await tenant.sync(id)).status).toBe(200)
})

test('operations that were not sent do not count, and the next one waits after many of them', async () => {
  const { tenant, id } = await world.authorized()
  await fillOperations(id, 300, { state: 'not_attempted' })
  await world.rows(
    `UPDATE operations SET completed_at = now() - interval '9 minutes' WHERE transaction_id = $1::uuid`,
    id,
  )
  const key = randomUUID()
  const early = await tenant.capture(id, {}, key)
  expect([early.status, early.body.code, early.body.retryable]).toEqual([502, 'provider_unreachable', true])
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(30)
  expect(await countOf(tenant, id)).toBe(300)
  await world.rows(
    `UPDATE operations SET completed_at = now() - interval '10 minutes' WHERE transaction_id = $1::uuid`,
    id,
  )
  const captured = await tenant.capture(id, {}, key)
  expect([captured.status, captured.body.status]).toEqual([200, 'captured'])
})

test('after many operations that were not sent, a void without a provider succeeds, and a payer gets a response at once', async () => {
  const tenant = world.tenant()
  const { body: unpaid } = await tenant.authorize('unreachable')
  await fillOperations(unpaid.transaction_id, 40, { state: 'not_attempted' })
  await world.rows('UPDATE operations SET completed_at = now() WHERE transaction_id = $1::uuid', unpaid.transaction_id)
  expect((await tenant.complete(unpaid.transaction_id)).body.code).toBe('provider_unreachable')
  const inviter = asInviteToPay(world, tenant)
  await inviter.invite(unpaid.transaction_id)
  const paid = await inviter.pay(unpaid.transaction_id)
  expect([paid.status, paid.body.code]).toEqual([409, 'payment_not_started'])
  expect((await tenant.void(unpaid.transaction_id)).body.status).toBe('voided')
})

test('the items of the refunds of a transaction are bounded in bytes, and a refund by amount remains', async () => {
  const items = Array.from({ length: 200 }, (_, n) => ({
    id: `${n}-${'漢'.repeat(90)}`,
    name: 'x',
    unit_amount: 1,
    quantity: 1_000,
  }))
  const { tenant, id } = await world.captured('visa', { amount: 200_000, transaction: { transaction_items: items } })
  const one = { items: items.map((item) => ({ id: item.id, quantity: 1 })) }
  const replies = []
  while (replies.length < 10 && replies.at(-1)?.status !== 422) replies.push(await tenant.refund(id, one))
  expect(replies.at(-1)?.body).toMatchObject({
    code: 'too_many_operations',
    detail: expect.stringContaining('256 KiB'),
  })
  expect(replies.length).toBeGreaterThan(2)
  expect((await tenant.refund(id, { amount: 1 })).status).toBe(200)
})

test('ten at once never exceed the maximum', async () => {
  const { tenant, id } = await world.captured()
  await fillOperations(id, operationsMax - 1)
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.refund(id, { amount: 1 })))
  expect(statuses(replies)[200]).toBe(1)
  for (const { status, body } of replies) {
    if (status !== 200) expect(['operation_in_progress', 'too_many_operations']).toContain(body.code)
  }
  expect(await countOf(tenant, id)).toBe(operationsMax)
})

test('at the maximum, captures and completions are rejected, and a void succeeds', async () => {
  const { tenant, id } = await world.authorized()
  await fillOperations(id, operationsMax)
  expect((await tenant.capture(id)).body.code).toBe('too_many_operations')
  expect((await tenant.void(id)).body.status).toBe('voided')
  const { body: unpaid } = await tenant.authorize('unreachable')
  await fillOperations(unpaid.transaction_id, operationsMax + 1)
  expect((await tenant.complete(unpaid.transaction_id)).body.code).toBe('too_many_operations')
})

test('voids have a maximum too, above which the platform still releases an expired authorization', async () => {
  const { tenant, id } = await world.authorized()
  await fillOperations(id, operationsMax + 50)
  expect((await tenant.void(id)).body.code).toBe('too_many_operations')
  world.advanceClock(8 * 24 * 60 * 60 * 1_000)
  await world.releaseExpired()
  expect((await tenant.read(id)).body.status).toBe('voided')
})

test('a page of transactions with many operations is bounded in bytes, and the next pages have the rest', async () => {
  const tenant = world.tenant()
  const ids: string[] = []
  const reason = '漢'.repeat(500)
  for (let i = 0; i < 10; i += 1) {
    const { id } = (await tenant.authorize()).body
    await fillOperations(id, operationsMax, { reason })
    ids.unshift(id)
  }
  const found: string[] = []
  const sizes: number[] = []
  let query = ''
  do {
    const { body } = await tenant.list(`?limit=200${query}`)
    for (const one of body.data) {
      expect(one.operations).toHaveLength(operationsMax)
      found.push(one.id)
    }
    sizes.push(Buffer.byteLength(JSON.stringify(body)))
    query = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (query !== '')
  expect(found).toEqual(ids)
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(3 * 1024 * 1024)
})
