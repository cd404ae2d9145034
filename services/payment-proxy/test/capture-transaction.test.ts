import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('captureTransaction', () => {
  test('captures the whole authorized amount', async () => {
    const { tenant, id } = await world.authorized()
    const reply = await tenant.capture(id)
    expect([reply.status, reply.body.status]).toEqual([200, 'captured'])
    expect(reply.body).toMatchObject({ amount_captured: 10_000, amount_capturable: 0, amount_refundable: 10_000 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'capture'])
    const [, , event] = await tenant.events()
    expect(event?.payload.version).toBe(reply.body.version)
  })

  test('captures in parts until nothing is left to capture', async () => {
    const { tenant, id } = await world.authorized()
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
    const { tenant, id } = await world.authorized()
    const { body } = await tenant.capture(id, { amount: 2_500, final_capture: true })
    expect(body).toMatchObject({
      status: 'captured',
      amount_captured: 2_500,
      amount_voided: 7_500,
      amount_capturable: 0,
    })
  })

  test('when declined, responds 402, keeps the amounts, and allows a retry', async () => {
    const { tenant, id } = await world.authorized('capture_declined')
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
