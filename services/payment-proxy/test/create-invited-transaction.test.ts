import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { asInviteToPay, invitation } from './invitations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

function given() {
  const tenant = world.tenant()
  return { tenant, inviter: asInviteToPay(world, tenant) }
}

async function readied() {
  const { tenant, inviter } = given()
  await tenant.storeUnit({})
  return { tenant, inviter }
}

describe('createInvitedTransaction', () => {
  test('creates the transaction with the given id and invitation, and emits its event', async () => {
    const { tenant, inviter } = await readied()
    const transaction_id = randomUUID()
    const reply = await inviter.create({ transaction_id, transaction: { capture: true } })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ id: transaction_id, i2p: true, invitation, capture: true, status: 'pending' })
    expect((await tenant.read(transaction_id)).body).toEqual(reply.body)
    expect(await tenant.events()).toMatchObject([
      { type: 'payment-proxy.transactions.create', payload: { transaction: { id: transaction_id, i2p: true } } },
    ])
  })

  test('creates one transaction when ten calls with one id arrive at once', async () => {
    const { tenant, inviter } = await readied()
    const body = { transaction_id: randomUUID(), transaction: { external_reference: 'order' } }
    const replies = await Promise.all(Array.from({ length: 10 }, () => inviter.create(body)))
    expect(new Set(replies.map(({ body: one }) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify((await tenant.read(body.transaction_id)).body)]),
    )
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('returns the transaction as it is now when it is called again', async () => {
    const { tenant, inviter } = await readied()
    const body = { transaction_id: randomUUID() }
    await inviter.create(body)
    const { body: paid } = await inviter.pay(body.transaction_id)
    await tenant.storeUnit({ unit: { status: 'deleted' } })
    const again = await inviter.create(body)
    expect([again.status, again.body]).toEqual([200, paid])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test.each([
    [
      'another amount than its items have',
      { transaction: { transaction_items: [{ name: 'a', unit_amount: 1, quantity: 1 }] } },
      400,
      'amount_mismatch',
      '/transaction/amount',
    ],
    ['no amount', { amount: undefined }, 400, 'invalid_request', '/transaction/amount'],
    ['no currency', { currency: undefined }, 400, 'invalid_request', '/transaction/currency'],
    [
      'an unknown payment orchestrator',
      { transaction: { payment_orchestrator_id: randomUUID() } },
      422,
      'payment_orchestrator_unusable',
      undefined,
    ],
    ['an unknown business unit', { business_unit_id: randomUUID() }, 404, 'business_unit_not_found', undefined],
    ['a used external reference', { external_reference: 'used' }, 409, 'external_reference_taken', undefined],
  ])('rejects %s, and stores nothing', async (_case, transaction, status, code, pointer) => {
    const { tenant, inviter } = await readied()
    const earlier = await tenant.create({ external_reference: 'used' })
    const reply = await inviter.create({ transaction })
    expect([...outcome(reply), reply.body.errors?.[0].pointer]).toEqual([status, code, pointer])
    expect((await tenant.list()).body.data).toEqual([earlier.body])
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('rejects a deleted business unit, and a unit of another tenant', async () => {
    const { tenant, inviter } = given()
    await tenant.storeUnit({ unit: { status: 'deleted' } })
    expect(outcome(await inviter.create())).toEqual([409, 'business_unit_deleted'])
    const foreign = await asInviteToPay(world, world.tenant()).create({
      transaction: { business_unit_id: tenant.businessUnitId },
    })
    expect(outcome(foreign)).toEqual([404, 'business_unit_not_found'])
  })
})
