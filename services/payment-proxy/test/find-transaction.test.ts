import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { holdLock } from '@payments/testing/database/held-lock'
import { asInviteToPay, invitedTransaction } from './invitations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('findTransaction', () => {
  test('returns the transaction with its operations', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    await payer.pay(id)
    const reply = await payer.find(id)
    expect([reply.status, reply.body]).toEqual([200, (await tenant.read(id)).body])
  })

  test('sees a payment that began to start before', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const lock = await holdLock(
      world.database.ownerUrl,
      'SELECT 1 FROM transactions WHERE tenant_id = $1::uuid FOR UPDATE',
      tenant.id,
    )
    const payment_id = randomUUID()
    const paying = payer.pay(id, { payment_id }).then((reply) => reply)
    await lock.untilWaiting(1)
    const finding = payer.find(id).then((reply) => reply)
    await lock.untilWaiting(2)
    await lock.release()
    expect((await finding).body.operations).toMatchObject([{ id: payment_id }])
    expect((await paying).status).toBe(200)
  })

  test('responds transaction_not_found to an unknown transaction, and to that of another tenant', async () => {
    const { id } = await invitedTransaction(world)
    const stranger = asInviteToPay(world, world.tenant())
    for (const one of [randomUUID(), id]) {
      expect(outcome(await stranger.find(one))).toEqual([404, 'transaction_not_found'])
    }
  })
})
