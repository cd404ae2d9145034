import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const authorized = async (token = 'visa', body: object = {}) => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize(token, body)).body
  return { tenant, id: id as string }
}

const captured = async (token = 'visa', body: object = {}) => authorized(token, { capture: true, ...body })

describe('captureTransaction', () => {
  test('captures the whole authorized amount', async () => {
    const { tenant, id } = await authorized()
    const reply = await tenant.capture(id)
    expect([reply.status, reply.body.status]).toEqual([200, 'captured'])
    expect(reply.body).toMatchObject({ amount_captured: 10_000, amount_capturable: 0, amount_refundable: 10_000 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'capture'])
    const [, , event] = await tenant.events()
    expect(event?.payload.version).toBe(reply.body.version)
  })

  test('captures in parts until nothing is left to capture', async () => {
    const { tenant, id } = await authorized()
    const part = (await tenant.capture(id, { amount: 4_000 })).body
    expect([part.status, part.amount_capturable]).toEqual(['partially_captured', 6_000])
    const excess = await tenant.capture(id, { amount: 6_001 })
    expect([excess.status, excess.body.code]).toEqual([422, 'amount_exceeds_capturable'])
    expect(excess.body).toMatchObject({ detail: 'At most 60.00 EUR can be captured', amount_capturable: 6_000 })
    expect((await tenant.capture(id)).body.status).toBe('captured')
    const late = await tenant.capture(id)
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transaction_state'])
    expect(late.body.allowed_actions).toEqual(['refund'])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'capture', 'capture'])
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('releases the rest with a final capture', async () => {
    const { tenant, id } = await authorized()
    const { body } = await tenant.capture(id, { amount: 2_500, final_capture: true })
    expect(body).toMatchObject({
      status: 'captured',
      amount_captured: 2_500,
      amount_voided: 7_500,
      amount_capturable: 0,
    })
  })

  test('when declined, responds 402, keeps the amounts, and allows a retry', async () => {
    const { tenant, id } = await authorized('capture_declined')
    const reply = await tenant.capture(id)
    expect([reply.status, reply.body.code, reply.body.operation_id]).toEqual([
      402,
      'payment_declined',
      expect.any(String),
    ])
    expect((await tenant.read(id)).body).toMatchObject({ status: 'authorized', amount_capturable: 10_000 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'capture.failed'])
    expect((await tenant.capture(id)).status).toBe(402)
  })

  test('rejects a capture before an authorization', async () => {
    const tenant = world.tenant()
    const reply = await tenant.capture((await tenant.create()).body.id)
    expect([reply.status, reply.body.allowed_actions]).toEqual([409, ['complete', 'void']])
  })
})

describe('voidTransaction', () => {
  test('releases the authorization', async () => {
    const { tenant, id } = await authorized()
    const { status, body } = await tenant.void(id, { reason: 'out of stock' })
    expect([status, body.status, body.amount_voided]).toEqual([200, 'voided', 10_000])
    expect(body.operations.at(-1)).toMatchObject({ type: 'void', reason: 'out of stock' })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'void'])
    expect((await tenant.complete(id)).body.code).toBe('invalid_transaction_state')
  })

  test('releases the rest after a partial capture', async () => {
    const { tenant, id } = await authorized()
    await tenant.capture(id, { amount: 1_000 })
    const { status, body } = await tenant.void(id)
    expect([status, body.status, body.amount_voided, body.amount_capturable]).toEqual([200, 'captured', 9_000, 0])
    const refunded = (await tenant.refund(id)).body
    expect([refunded.status, refunded.amount_refunded]).toEqual(['refunded', 1_000])
  })

  test('cancels the transaction before an authorization, without a provider request', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    const { status, body } = await tenant.void(id, {}, 'k')
    expect([status, body.status, body.amount_voided]).toEqual([200, 'voided', 0])
    expect(await tenant.ledger()).toEqual([])
    expect(await tenant.eventTypes()).toEqual(['create', 'void'])
    expect((await tenant.void(id, {}, 'k')).body).toEqual(body)
    expect((await tenant.complete(id)).body.allowed_actions).toEqual([])
  })

  test('when declined, responds 402 and keeps the authorization', async () => {
    const { tenant, id } = await authorized('void_declined')
    expect((await tenant.void(id)).status).toBe(402)
    expect((await tenant.read(id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'void.failed'])
  })
})

describe('refundTransaction', () => {
  test('refunds in parts, then the rest', async () => {
    const { tenant, id } = await captured()
    const part = (await tenant.refund(id, { amount: 3_000, reason: 'broken' })).body
    expect([part.status, part.amount_refunded, part.amount_refundable]).toEqual(['partially_refunded', 3_000, 7_000])
    const excess = await tenant.refund(id, { amount: 7_001 })
    expect([excess.status, excess.body.code]).toEqual([422, 'amount_exceeds_refundable'])
    expect(excess.body.amount_refundable).toBe(7_000)
    expect((await tenant.refund(id)).body.status).toBe('refunded')
    expect((await tenant.refund(id)).body.code).toBe('invalid_transaction_state')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund', 'refund'])
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('refunds an item at most in its bought quantity', async () => {
    const transaction_items = [
      { id: 'cup', name: 'Cup', unit_amount: 1_500, quantity: 4 },
      { id: 'pot', name: 'Pot', unit_amount: 4_000, quantity: 1 },
    ]
    const { tenant, id } = await captured('visa', { transaction: { transaction_items } })
    const cups = (quantity: number) => ({ items: [{ id: 'cup', quantity }] })
    expect((await tenant.refund(id, cups(3))).body.amount_refunded).toBe(4_500)
    const excess = await tenant.refund(id, { items: [...cups(2).items, { id: 'pan', quantity: 1 }] })
    expect([excess.status, excess.body.code]).toEqual([422, 'unknown_transaction_item'])
    expect(excess.body.errors).toEqual([
      { pointer: '/items/0/quantity', detail: 'must be at most 1' },
      { pointer: '/items/1/id', detail: 'is not an item of the transaction' },
    ])
    expect((await tenant.refund(id, { ...cups(1), amount: 1 })).body.code).toBe('amount_mismatch')
    expect((await tenant.refund(id, { ...cups(1), amount: 1_500 })).status).toBe(200)
  })

  test('when declined, responds 402 and keeps the captured amount', async () => {
    const { tenant, id } = await captured('refund_declined')
    expect((await tenant.refund(id)).status).toBe(402)
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refundable: 10_000 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund.failed'])
  })

  test('sends one of fifty concurrent refunds of 60 % to the provider', async () => {
    const { tenant, id } = await captured()
    const replies = await Promise.all(Array.from({ length: 50 }, () => tenant.refund(id, { amount: 6_000 })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const rejections = replies.filter(({ status }) => status !== 200)
    for (const { body } of rejections)
      expect(['operation_in_progress', 'amount_exceeds_refundable']).toContain(body.code)
    expect((await tenant.ledger()).filter(({ type }) => type === 'refund')).toHaveLength(1)
    expect((await tenant.read(id)).body.amount_refunded).toBe(6_000)
    expect((await tenant.eventTypes()).filter((type) => type === 'refund')).toHaveLength(1)
  })
})

test('the database rejects inconsistent amounts and a second open operation, and hides the rows of other tenants', async () => {
  const { tenant, id } = await captured()
  const change = (set: string) => world.rows(`UPDATE transactions SET ${set} WHERE id = $1::uuid`, id)
  await expect(change('amount_refunded = 10001')).rejects.toThrow(/transactions_amounts_check/)
  await expect(change('amount_voided = 1')).rejects.toThrow(/transactions_amounts_check/)
  await expect(change('amount_authorized = 10001')).rejects.toThrow(/transactions_amounts_check/)
  const copy = (number: number) =>
    world.rows(
      `INSERT INTO operations SELECT gen_random_uuid(), tenant_id, transaction_id, $2, type, 'in_progress', amount, amount_released,
        stage, reason, items, provider_reference, error, 1, now(), trace_id, now(), NULL
       FROM operations WHERE transaction_id = $1::uuid AND number = 1`,
      id,
      number,
    )
  await copy(3)
  await expect(copy(4)).rejects.toThrow(/operations_one_in_flight_key/)
  const seenBy = (tenantId: string) =>
    world.deps.db.inTenant(tenantId, (tx) => tx.$queryRawUnsafe<unknown[]>('SELECT 1 FROM operations'))
  expect(await seenBy(tenant.id)).toHaveLength(3)
  expect(await seenBy(world.tenant().id)).toEqual([])
})
