import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { asInviteToPay, invitedConfirmation } from './invitations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('syncInvitedPayment', () => {
  test('reads the outcome after the payer has confirmed', async () => {
    const { id, payer, payment_id, bank } = await invitedConfirmation(world)
    expect((await payer.sync(id, payment_id)).body.pending_operation.state).toBe('action_required')
    await bank.decide('confirm')
    expect((await payer.sync(id, payment_id)).body.status).toBe('authorized')
    expect((await payer.sync(id, payment_id)).body.status).toBe('authorized')
  })

  test('rejects the payment of another transaction or tenant, and changes nothing', async () => {
    const { tenant, id, payer, payment_id, bank } = await invitedConfirmation(world)
    const other = await invitedConfirmation(world)
    await bank.decide('confirm')
    expect(outcome(await payer.sync(id, other.payment_id))).toEqual([404, 'operation_not_found'])
    const stranger = asInviteToPay(world, other.tenant)
    expect(outcome(await stranger.sync(id, payment_id))).toEqual([404, 'transaction_not_found'])
    expect(outcome(await stranger.cancel(id, payment_id))).toEqual([404, 'transaction_not_found'])
    expect((await tenant.read(id)).body.status).toBe('pending')
  })
})
