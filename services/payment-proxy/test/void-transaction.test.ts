import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('voidTransaction', () => {
  test('releases the authorization', async () => {
    const { tenant, id } = await world.authorized()
    const { status, body } = await tenant.void(id, { reason: 'out of stock' })
    expect([status, body.status, body.amount_voided]).toEqual([200, 'voided', 10_000])
    expect(body.operations.at(-1)).toMatchObject({ type: 'void', reason: 'out of stock' })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'void'])
    expect((await tenant.complete(id)).body.code).toBe('invalid_transaction_state')
  })

  test('releases the rest after a partial capture', async () => {
    const { tenant, id } = await world.authorized()
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
    const { tenant, id } = await world.authorized('void_declined')
    expect((await tenant.void(id)).status).toBe(402)
    expect((await tenant.read(id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'void.failed'])
  })
})
