import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { invitedConfirmation } from './invitations.ts'
import { heldProvider, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('cancelInvitedPayment', () => {
  test('cancels at the provider, so that the payer can pay in another way', async () => {
    const { tenant, id, payer, payment_id, bank } = await invitedConfirmation(world)
    const { body } = await payer.cancel(id, payment_id)
    expect([body.status, body.last_error.decline_code]).toEqual(['failed', 'authentication_canceled'])
    expect(await bank.decide('confirm')).toEqual([410, null])
    expect((await payer.pay(id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'authorize'])
  })

  test('is rejected while another process calls the provider about the payment', async () => {
    const { tenant, id, payer, payment_id } = await invitedConfirmation(world)
    const held = heldProvider(world.deps.providerCalls)
    const syncing = tenant.through(createApp({ ...world.deps, providerCalls: held })).sync(id)
    await held.reached
    const { status, body, headers } = await payer.cancel(id, payment_id)
    expect([status, body.code, headers['retry-after']]).toEqual([409, 'operation_in_progress', '1'])
    held.respond()
    await syncing
    expect((await payer.cancel(id, payment_id)).body.status).toBe('failed')
  })

  test('takes a payment that the payer has confirmed, and leaves one that has ended', async () => {
    const { id, payer, payment_id, bank } = await invitedConfirmation(world)
    await bank.decide('confirm')
    expect((await payer.cancel(id, payment_id)).body.status).toBe('authorized')
    expect((await payer.cancel(id, payment_id)).body.status).toBe('authorized')
  })
})

test('the address at which a payer by link confirms, which leads back to the link, is in no response to the tenant', async () => {
  const { tenant, id, payer } = await invitedConfirmation(world)
  const shown = { type: 'authorize', state: 'action_required', action: null }
  const { body } = await tenant.read(id)
  expect(body.pending_operation).toMatchObject(shown)
  const { body: list } = await tenant.list()
  expect(list.data[0].pending_operation).toMatchObject(shown)
  const { body: synced } = await tenant.sync(id)
  expect(synced.pending_operation).toMatchObject(shown)
  const texts = JSON.stringify([body, list, synced, await tenant.events()])
  expect(texts).not.toContain('/pay/sandbox-bank/')
  const { body: found } = await payer.find(id)
  expect(found.pending_operation.action.url).toContain('/pay/sandbox-bank/')
})
