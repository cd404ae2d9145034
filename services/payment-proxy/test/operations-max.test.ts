import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operationsMax } from '@payments/contracts/services/payment-proxy/problems'
import { asInviteToPay } from './invitations.ts'
import { startWorld, statuses, type TestTenant, type World } from './world.ts'

/** The maximum of operations of a transaction, for each kind of them. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

interface Filled {
  readonly type?: 'capture' | 'refund' | 'void'
  readonly reason?: string
  readonly state?: 'declined' | 'not_attempted'
}

/** Adds `count` failed operations of a type, by default voids. */
async function addOperations(
  id: string,
  count: number,
  { type = 'void', reason, state = 'declined' }: Filled = {},
): Promise<void> {
  await world.rows(
    `INSERT INTO operations (id, tenant_id, transaction_id, number, type, state, amount, amount_released, reason,
       attempt_count, trace_id, actor, created_at, completed_at)
     SELECT gen_random_uuid(), o.tenant_id, o.transaction_id, o.number + n, $5::"OperationType", $4::"OperationState",
       o.amount, 0, $3::text, 1, o.trace_id, o.actor, o.created_at, o.created_at
     FROM (SELECT * FROM operations WHERE transaction_id = $1::uuid ORDER BY number DESC LIMIT 1) AS o,
       generate_series(1, $2::int) AS n`,
    id,
    count,
    reason ?? null,
    state,
    type,
  )
}

const countOperations = async (tenant: TestTenant, id: string) => (await tenant.read(id)).body.operations.length

test('rejects an operation above the maximum before the provider is called, and a replay gets its response', async () => {
  const { tenant, id } = await world.captured()
  await addOperations(id, operationsMax.refunds - 1, { type: 'refund' })
  const key = randomUUID()
  const refunded = await tenant.refund(id, { amount: 1 }, key)
  expect(refunded.status).toBe(200)
  const before = [await tenant.ledger(), await tenant.eventTypes()]
  const { status, body } = await tenant.refund(id, { amount: 1 })
  expect([status, body.code]).toEqual([422, 'too_many_operations'])
  expect([await tenant.ledger(), await tenant.eventTypes()]).toEqual(before)
  expect((await tenant.refund(id, { amount: 1 }, key)).body).toEqual(refunded.body)
  expect((await tenant.sync(id)).status).toBe(200)
})

test('operations that were not sent do not count, and the next one waits after many of them', async () => {
  const { tenant, id } = await world.authorized()
  await addOperations(id, 300, { state: 'not_attempted' })
  await world.rows(
    `UPDATE operations SET completed_at = now() - interval '9 minutes' WHERE transaction_id = $1::uuid`,
    id,
  )
  const key = randomUUID()
  const early = await tenant.capture(id, {}, key)
  expect([early.status, early.body.code, early.body.retryable]).toEqual([502, 'provider_unreachable', true])
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(30)
  expect(await countOperations(tenant, id)).toBe(301)
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
  await addOperations(unpaid.transaction_id, 40, { state: 'not_attempted' })
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
  await addOperations(id, operationsMax.refunds - 1, { type: 'refund' })
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.refund(id, { amount: 1 })))
  expect(statuses(replies)[200]).toBe(1)
  for (const { status, body } of replies) {
    if (status !== 200) expect(['operation_in_progress', 'too_many_operations']).toContain(body.code)
  }
  expect(await countOperations(tenant, id)).toBe(2 + operationsMax.refunds)
})

test('captures do not end refunds: at their maximum the amount left is captured, then refunded in parts', async () => {
  const { tenant, id } = await world.authorized()
  for (let n = 0; n < operationsMax.payments - 1; n += 1)
    expect((await tenant.capture(id, { amount: 1 })).status).toBe(200)
  expect((await tenant.capture(id, { amount: 1 })).body.code).toBe('too_many_operations')
  const captured = await tenant.capture(id)
  expect([captured.status, captured.body.status]).toEqual([200, 'captured'])
  expect((await tenant.refund(id, { amount: 1 })).status).toBe(200)
  expect((await tenant.refund(id)).body).toMatchObject({ status: 'refunded', amount_refundable: 0 })
})

test('a final capture is accepted at the maximum of captures', async () => {
  const { tenant, id } = await world.authorized()
  await addOperations(id, operationsMax.payments, { type: 'capture' })
  const early = await tenant.capture(id, { amount: 1, final_capture: true })
  expect([early.status, early.body.code]).toEqual([422, 'too_many_operations'])
  await endOperations(id)
  const captured = await tenant.capture(id, { amount: 1, final_capture: true })
  expect([captured.status, captured.body.amount_capturable]).toEqual([200, 0])
})

/** Makes all operations of the transaction a day older. */
const endOperations = (id: string) =>
  world.rows(
    `UPDATE operations SET completed_at = completed_at - interval '24 hours' WHERE transaction_id = $1::uuid RETURNING id`,
    id,
  )

test.each(['refund', 'capture', 'void'] as const)(
  'after many declines, a %s of all that is left is accepted once a day',
  async (type) => {
    const { tenant, id } = type === 'refund' ? await world.captured() : await world.authorized()
    await addOperations(id, 150, { type })
    const send = () => tenant[type](id)
    const early = await send()
    expect([early.status, early.body.code]).toEqual([422, 'too_many_operations'])
    expect(early.body.detail).toContain('The next one is accepted at 20')
    await endOperations(id)
    if (type !== 'void') {
      const part = await tenant[type](id, { amount: 1 })
      expect([part.status, part.body.code]).toEqual([422, 'too_many_operations'])
    }
    expect((await send()).status).toBe(200)
  },
)

test('declined voids end neither captures nor refunds, and declined refunds do not end the void of the rest', async () => {
  const { tenant, id } = await world.authorized()
  await addOperations(id, operationsMax.voids + 200)
  expect((await tenant.capture(id, { amount: 1 })).status).toBe(200)
  await addOperations(id, operationsMax.refunds + 200, { type: 'refund' })
  expect((await tenant.capture(id, { amount: 1 })).status).toBe(200)
  await endOperations(id)
  expect((await tenant.void(id)).status).toBe(200)
  expect((await tenant.refund(id)).body.status).toBe('refunded')
})

test('the platform releases an expired authorization whatever the number of voids', async () => {
  const { tenant, id } = await world.authorized()
  await addOperations(id, operationsMax.voids)
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
    await addOperations(id, 199, { reason })
    ids.unshift(id)
  }
  const found: string[] = []
  const sizes: number[] = []
  let query = ''
  do {
    const { body } = await tenant.list(`?limit=200${query}`)
    for (const one of body.data) {
      expect(one.operations).toHaveLength(200)
      found.push(one.id)
    }
    sizes.push(Buffer.byteLength(JSON.stringify(body)))
    query = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (query !== '')
  expect(found).toEqual(ids)
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(3 * 1024 * 1024)
})
