import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { asInviteToPay } from './invitations.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('inviteToPay', () => {
  test('marks a transaction once when ten calls arrive at once, and emits nothing', async () => {
    const tenant = world.tenant()
    const { body: created } = await tenant.create()
    const inviter = asInviteToPay(world, tenant)
    const replies = await Promise.all(Array.from({ length: 10 }, () => inviter.invite(created.id)))
    for (const { status, body } of replies) {
      expect([status, body]).toEqual([200, { ...created, i2p: true, version: 2, updated_at: body.updated_at }])
    }
    expect((await tenant.read(created.id)).body).toEqual(replies[0]?.body)
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('marks a transaction whose authorization was declined', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    await tenant.complete(id, 'declined')
    expect((await asInviteToPay(world, tenant).invite(id)).body).toMatchObject({ i2p: true, status: 'failed' })
  })

  test('rejects a marked transaction after its payment, and after its void', async () => {
    const tenant = world.tenant()
    const inviter = asInviteToPay(world, tenant)
    for (const end of [tenant.complete, tenant.void]) {
      const { id } = (await tenant.create()).body
      await inviter.invite(id)
      const { body: ended } = await end(id)
      expect(outcome(await inviter.invite(id))).toEqual([409, 'transaction_not_payable'])
      expect((await tenant.read(id)).body).toEqual(ended)
    }
  })

  test.each<[string, (tenant: TestTenant) => Promise<{ body: { id?: string; transaction_id?: string } }>]>([
    ['authorized', (tenant) => tenant.authorize()],
    ['captured', (tenant) => tenant.authorize('visa', { capture: true })],
    ['voided', async (tenant) => tenant.void((await tenant.create()).body.id)],
    ['of an unknown outcome', (tenant) => tenant.authorize('unknown_forever')],
  ])('rejects a transaction that is %s, and changes nothing', async (_case, make) => {
    const tenant = world.tenant()
    const { id = '' } = (await make(tenant)).body
    const { body: before } = await tenant.read(id)
    expect(outcome(await asInviteToPay(world, tenant).invite(id))).toEqual([409, 'transaction_not_payable'])
    expect((await tenant.read(id)).body).toEqual(before)
  })

  test('rejects a transaction whose payment orchestrator takes no payment, and changes nothing', async () => {
    const tenant = world.tenant()
    const { body: created } = await tenant.create()
    const orchestrators = [{ id: tenant.paymentOrchestratorId, status: 'inactive' as const }]
    await tenant.storeUnit({ orchestrators })
    const invited = await asInviteToPay(world, tenant).invite(created.id)
    expect(outcome(invited)).toEqual([422, 'payment_orchestrator_unusable'])
    expect((await tenant.read(created.id)).body).toEqual(created)
  })

  test('responds transaction_not_found to an unknown transaction, and to one of another tenant', async () => {
    const tenant = world.tenant()
    const { body: created } = await tenant.create()
    const stranger = asInviteToPay(world, world.tenant())
    for (const id of [randomUUID(), created.id]) {
      expect(outcome(await stranger.invite(id))).toEqual([404, 'transaction_not_found'])
    }
    expect((await tenant.read(created.id)).body).toEqual(created)
  })
})
