import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('refundTransaction', () => {
  test('refunds in parts, then the rest', async () => {
    const { tenant, id } = await world.captured()
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
    const { tenant, id } = await world.captured('visa', { transaction: { transaction_items } })
    const cups = (quantity: number) => ({ items: [{ id: 'cup', quantity }] })
    expect((await tenant.refund(id, cups(3))).body.amount_refunded).toBe(4_500)
    const excess = await tenant.refund(id, { items: [...cups(2).items, { id: 'pan', quantity: 1 }] })
    expect([excess.status, excess.body.code]).toEqual([422, 'unknown_transaction_item'])
    expect(excess.body.errors).toEqual([
      { pointer: '/items/0/quantity', detail: 'must be at most 1' },
      { pointer: '/items/1/id', detail: 'is not an item of the transaction' },
    ])
    expect((await tenant.refund(id, cups(1))).body.amount_refunded).toBe(6_000)
  })

  test('finds an item by the id that the creation had, whatever its spelling', async () => {
    const transaction_items = [{ id: ' cafe\u0301 ', name: 'Cup', unit_amount: 1_500, quantity: 4 }]
    const { tenant, id } = await world.captured('visa', { amount: 6_000, transaction: { transaction_items } })
    const { status, body } = await tenant.refund(id, { items: [{ id: ' cafe\u0301 ', quantity: 1 }] })
    expect([status, body.amount_refunded]).toEqual([200, 1_500])
  })

  test('responds 400 to both items and an amount, and refunds nothing', async () => {
    const transaction_items = [{ id: 'cup', name: 'Cup', unit_amount: 1_500, quantity: 4 }]
    const { tenant, id } = await world.captured('visa', { amount: 6_000, transaction: { transaction_items } })
    const both = await tenant.refund(id, { items: [{ id: 'cup', quantity: 1 }], amount: 1_500 })
    expect([both.status, both.body.code]).toEqual([400, 'invalid_request'])
    expect(both.body.errors).toEqual([{ pointer: '/amount', detail: 'must not be given with items' }])
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refunded: 0 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  })

  test('when declined, responds 402 and keeps the captured amount', async () => {
    const { tenant, id } = await world.captured('refund_declined')
    expect((await tenant.refund(id)).status).toBe(402)
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refundable: 10_000 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund.failed'])
  })

  test('sends one of fifty concurrent refunds of 60 % to the provider', async () => {
    const { tenant, id } = await world.captured()
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
