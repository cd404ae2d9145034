import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, statuses, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const item = (unit_amount: number, quantity: number, id?: string) => ({
  name: 'Thing',
  unit_amount,
  quantity,
  ...(id === undefined ? {} : { id }),
})

describe('createTransaction', () => {
  test('stores the fields of the request, charges nothing, and emits an event', async () => {
    const tenant = world.tenant()
    const given = {
      external_reference: 'Auftrag 7/ü',
      transaction: {
        payment_orchestrator_id: tenant.paymentOrchestratorId,
        merchant_id: 'm-1',
        transaction_items: [item(2_500, 4, 'a')],
      },
      customer_details: { name: 'Ada', email: 'ada@example.com' },
      metadata: { cart: 'c-9', vip: true, weight: 1.5, note: null },
    }
    const reply = await tenant.create(given)
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({
      object: 'transaction',
      business_unit_id: tenant.businessUnitId,
      payment_orchestrator_id: given.transaction.payment_orchestrator_id,
      external_reference: given.external_reference,
      status: 'pending',
      amount: 10_000,
      amount_authorized: 0,
      amount_capturable: 0,
      transaction_items: given.transaction.transaction_items,
      customer_details: given.customer_details,
      metadata: given.metadata,
      version: 1,
      operations: [],
    })
    expect(await tenant.ledger()).toEqual([])
    const [event, ...others] = await tenant.events()
    const { operations: _, ...snapshot } = reply.body
    expect(event).toMatchObject({
      type: 'payment-proxy.transactions.create',
      business_unit_id: tenant.businessUnitId,
      payload: { transaction: snapshot, operation: null, version: 1 },
    })
    expect(others).toEqual([])
    expect((await tenant.read(reply.body.id)).body).toEqual(reply.body)
  })

  test('computes a missing amount from the items', async () => {
    const tenant = world.tenant()
    const transaction = { transaction_items: [item(1_999, 3), item(1, 3)] }
    expect((await tenant.create({ amount: undefined, transaction })).body.amount).toBe(6_000)
    expect((await tenant.create({ amount: 6_000, transaction })).status).toBe(201)
  })

  test.each([
    [
      'another amount than the items add up to',
      { transaction: { transaction_items: [item(1, 1)] } },
      'amount_mismatch',
      '/amount',
    ],
    ['neither amount nor items', { amount: undefined }, 'invalid_request', '/amount'],
    ['a currency that does not exist', { currency: 'XYZ' }, 'invalid_request', '/currency'],
    ['a currency in lower case', { currency: 'eur' }, 'invalid_request', '/currency'],
    ['an amount of 0', { amount: 0 }, 'invalid_request', '/amount'],
    ['an amount in major units', { amount: 99.5 }, 'invalid_request', '/amount'],
    ['an amount in a string', { amount: '100' }, 'invalid_request', '/amount'],
    ['an amount beyond the largest', { amount: 1_000_000_000_000 }, 'invalid_request', '/amount'],
    [
      'items beyond 2^53',
      { amount: undefined, transaction: { transaction_items: [item(999_999_999_999, 1_000_000)] } },
      'invalid_request',
      '/transaction/transaction_items',
    ],
    [
      'two items of one id',
      { transaction: { transaction_items: [item(5_000, 1, 'a'), item(5_000, 1, 'a')] } },
      'invalid_request',
      '/transaction/transaction_items/1/id',
    ],
    [
      '`amount` in an item',
      { transaction: { transaction_items: [{ ...item(1, 1), amount: 1 }] } },
      'invalid_request',
      '/transaction/transaction_items/0/amount',
    ],
    ['NUL in a reference', { external_reference: 'a\0b' }, 'invalid_request', '/external_reference'],
    [
      'a line break in a phone number',
      { customer_details: { phone: '+49 30\r\n1' } },
      'invalid_request',
      '/customer_details/phone',
    ],
    [
      'a reversed phone number',
      { customer_details: { phone: '+49\u202e30' } },
      'invalid_request',
      '/customer_details/phone',
    ],
    ['half a surrogate pair in metadata', { metadata: { a: '\ud800' } }, 'invalid_request', '/metadata/a'],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
      'invalid_request',
      '/metadata',
    ],
  ])('rejects %s, names the field, and writes nothing', async (_case, body, code, pointer) => {
    const tenant = world.tenant()
    const reply = await tenant.create(body)
    expect([reply.status, reply.body.code]).toEqual([400, code])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
    expect((await tenant.list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test('creates one of ten concurrent transactions with one external reference', async () => {
    const tenant = world.tenant()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.create({ external_reference: 'x' })))
    expect(statuses(replies)).toEqual({ 201: 1, 409: 9 })
    const created = replies.find(({ status }) => status === 201)?.body.id
    for (const { body } of replies.filter(({ status }) => status === 409)) {
      expect([body.code, body.transaction_id]).toEqual(['external_reference_taken', created])
    }
    expect((await tenant.list()).body.data).toHaveLength(1)
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('a void before an authorization makes the external reference free, for one of ten transactions at once', async () => {
    const tenant = world.tenant()
    const body = { external_reference: 'x' }
    const { id } = (await tenant.create(body)).body
    expect((await tenant.authorize('visa', body)).body.code).toBe('external_reference_taken')
    await tenant.void(id)
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.create(body)))
    expect(statuses(replies)).toEqual({ 201: 1, 409: 9 })
    const second = (await tenant.list('?external_reference=x')).body.data[0].id
    await tenant.complete(second, 'declined')
    await tenant.void(second)
    expect((await tenant.authorize('visa', body)).status).toBe(201)
    expect((await tenant.list('?external_reference=x')).body.data).toHaveLength(3)
  })

  test('a void after an authorization keeps the external reference', async () => {
    const tenant = world.tenant()
    const body = { external_reference: 'x' }
    const { id } = (await tenant.authorize('visa', body)).body
    expect((await tenant.void(id)).body.status).toBe('voided')
    expect((await tenant.create(body)).body.code).toBe('external_reference_taken')
  })

  test('compares external references as people read them', async () => {
    const tenant = world.tenant()
    const [composed, decomposed] = ['Auftrag \u00fc', '  Auftrag u\u0308 ']
    const first = await tenant.create({ external_reference: decomposed })
    expect(first.body.external_reference).toBe(composed)
    const { status, body } = await tenant.create({ external_reference: composed })
    expect([status, body.transaction_id]).toEqual([409, first.body.id])
    for (const name of ['external_reference', 'search']) {
      const listed = (await tenant.list(`?${name}=${encodeURIComponent(decomposed)}`)).body.data
      expect(listed.map(({ id }: { id: string }) => id)).toEqual([first.body.id])
    }
    expect((await tenant.create({ external_reference: ' \t' })).body.code).toBe('invalid_request')
  })

  test('allows the external reference in another business unit and for another tenant', async () => {
    const [one, other] = [world.tenant(), world.tenant()]
    const body = { external_reference: 'x' }
    expect((await one.create(body)).status).toBe(201)
    const second = randomUUID()
    await one.storeUnit({}, second)
    expect((await one.create({ ...body, business_unit_id: second })).status).toBe(201)
    expect((await other.create(body)).status).toBe(201)
    expect((await one.authorize('visa', body)).body.code).toBe('external_reference_taken')
    expect(await one.ledger()).toEqual([])
  })
})
