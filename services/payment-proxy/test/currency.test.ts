import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test.each([
  ['JPY', '4001 JPY', '2001 JPY'],
  ['EUR', '40.01 EUR', '20.01 EUR'],
  ['KWD', '4.001 KWD', '2.001 KWD'],
  ['CLF', '0.4001 CLF', '0.2001 CLF'],
])('%s: amounts are minor units in every operation, and texts use its exponent', async (currency, left, rest) => {
  const { tenant, id } = await world.authorized('visa', { currency, amount: 6_001 })
  expect((await tenant.capture(id, { amount: 2_000 })).body.amount_capturable).toBe(4_001)
  const excess = await tenant.capture(id, { amount: 4_002 })
  const capturable = `At most ${left} can be captured`
  expect(excess.body).toMatchObject({
    code: 'amount_exceeds_capturable',
    detail: capturable,
    errors: [{ pointer: '/amount', detail: capturable }],
  })
  expect((await tenant.void(id)).body.amount_voided).toBe(4_001)
  const other = (await tenant.authorize('visa', { currency, amount: 2_001, capture: true })).body
  const beyond = await tenant.refund(other.id, { amount: 2_002 })
  const refundable = `At most ${rest} can be refunded`
  expect(beyond.body).toMatchObject({
    code: 'amount_exceeds_refundable',
    detail: refundable,
    errors: [{ pointer: '/amount', detail: refundable }],
  })
  expect((await tenant.refund(other.id)).body).toMatchObject({ status: 'refunded', amount_refunded: 2_001, currency })
  expect((await tenant.refund(id)).body).toMatchObject({ status: 'refunded', amount_refunded: 2_000 })
  expect(await tenant.recorded()).toEqual(await tenant.ledger())
})

test('a currency that has ended takes no new payment, and older payments in it continue', async () => {
  const { tenant, id } = await world.captured('visa', { amount: 6_000 })
  const pending = (await tenant.create()).body.id
  for (const table of ['transactions', 'sandbox_operations']) {
    await world.rows(`UPDATE ${table} SET currency = 'BGN' WHERE tenant_id = $1::uuid`, tenant.id)
  }
  const detail = expect.stringContaining('BGN ended on 2025-12-31')
  for (const reply of [await tenant.create({ currency: 'BGN' }), await tenant.authorize('visa', { currency: 'BGN' })]) {
    expect(reply.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/currency', detail }] })
  }
  expect((await tenant.complete(pending)).body.code).toBe('payment_orchestrator_unusable')
  expect((await tenant.refund(id, { amount: 1_000 })).body).toMatchObject({ amount_refunded: 1_000, currency: 'BGN' })
  expect((await tenant.void(pending)).body.status).toBe('voided')
  expect((await tenant.read(id)).body.currency).toBe('BGN')
  expect((await tenant.list()).body.data).toHaveLength(2)
})
