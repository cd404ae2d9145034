import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1_000

describe('a refund that fails after it succeeded', () => {
  test('is reversed by the next sync: amounts, status, version and event', async () => {
    const { tenant, id } = await world.captured('refund_fails_later')
    const refunded = (await tenant.refund(id)).body
    expect([refunded.status, refunded.amount_refunded]).toEqual(['refunded', 10_000])
    const { status, body } = await tenant.sync(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'captured',
      amount_refunded: 0,
      amount_refundable: 10_000,
      version: refunded.version + 1,
      last_error: { code: 'payment_declined', decline_code: 'processing_error' },
    })
    expect(body.operations.at(-1)).toMatchObject({ type: 'refund', state: 'reversed' })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund', 'refund.failed'])
    expect((await tenant.events()).at(-1)?.payload).toMatchObject({
      version: body.version,
      operation: { state: 'reversed' },
    })
    expect((await tenant.ledger()).at(-1)).toMatchObject({ type: 'refund', state: 'declined' })
    expect((await tenant.refund(id, { amount: 4_000 })).body.amount_refunded).toBe(4_000)
  })

  test('is reversed once by ten syncs at once', async () => {
    const { tenant, id } = await world.captured('refund_fails_later')
    await tenant.refund(id)
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.sync(id)))
    for (const { status } of replies) expect(status).toBe(200)
    expect((await tenant.eventTypes()).filter((type) => type === 'refund.failed')).toHaveLength(1)
  })

  test('is not requested again after 30 days', async () => {
    const { tenant, id } = await world.captured('refund_fails_later')
    await tenant.refund(id)
    world.advanceClock(30 * dayMs)
    expect((await tenant.sync(id)).body.status).toBe('refunded')
  })

  test('only a refund can be reversed', async () => {
    const { id } = await world.captured()
    const change = world.rows(`UPDATE operations SET state = 'reversed' WHERE transaction_id = $1::uuid`, id)
    await expect(change).rejects.toThrow(/operations_reversed_check/)
  })
})

describe('refunds by item and by amount', () => {
  test('together never exceed the captured amount, and a refund by amount counts against items', async () => {
    const transaction_items = [
      { id: 'cup', name: 'Cup', unit_amount: 2_000, quantity: 4 },
      { id: 'pot', name: 'Pot', unit_amount: 2_000, quantity: 1 },
    ]
    const { tenant, id } = await world.captured('visa', { transaction: { transaction_items } })
    const cups = (quantity: number) => ({ items: [{ id: 'cup', quantity }] })
    expect((await tenant.refund(id, { amount: 7_000 })).status).toBe(200)
    expect((await tenant.refund(id, cups(1))).status).toBe(200)
    const excess = await tenant.refund(id, cups(1))
    expect([excess.status, excess.body.code, excess.body.amount_refundable]).toEqual([
      422,
      'amount_exceeds_refundable',
      1_000,
    ])
    expect((await tenant.refund(id)).body.status).toBe('refunded')
  })

  test('the items of a reversed refund can be refunded again', async () => {
    const transaction_items = [{ id: 'cup', name: 'Cup', unit_amount: 2_500, quantity: 4 }]
    const { tenant, id } = await world.captured('refund_fails_later', { transaction: { transaction_items } })
    const all = { items: [{ id: 'cup', quantity: 4 }] }
    expect((await tenant.refund(id, all)).body.status).toBe('refunded')
    await tenant.sync(id)
    expect((await tenant.refund(id, all)).body.status).toBe('refunded')
  })
})
