import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { App } from '@payments/chassis/request/app'
import { outcome } from '@payments/testing/calls/caller'
import { createApp } from '../src/app.ts'
import { asInviteToPay, invitation, invitedTransaction } from './invitations.ts'
import { startWorld, type World } from './world.ts'

let world: World
/** The service as in production. */
let production: App
beforeAll(async () => {
  world = await startWorld()
  production = createApp({ ...world.deps, acceptsTestMode: false })
})
afterAll(() => world.stop())

const refused = [422, 'test_mode_not_allowed']

describe('in production, a payment orchestrator in test mode takes no payment:', () => {
  test('no creation, with or without an authorization or an invitation', async () => {
    const tenant = world.tenant()
    const caller = tenant.through(production)
    for (const reply of [
      await caller.create(),
      await caller.create({ i2p: true, invitation }),
      await caller.authorize(),
      await asInviteToPay(world, tenant).through(production).create(),
    ]) {
      expect(outcome(reply)).toEqual(refused)
    }
    expect((await tenant.list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test('no authorization and no invitation of a transaction that exists', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const other = (await tenant.create()).body.id
    const before = [await tenant.eventTypes(), (await tenant.read(id)).body, (await tenant.read(other)).body]
    expect(outcome(await tenant.through(production).complete(other))).toEqual(refused)
    expect(outcome(await payer.through(production).pay(id))).toEqual(refused)
    expect(outcome(await payer.through(production).invite(other))).toEqual(refused)
    expect([await tenant.eventTypes(), (await tenant.read(id)).body, (await tenant.read(other)).body]).toEqual(before)
    expect(await tenant.ledger()).toEqual([])
  })

  test('earlier payments are still captured, refunded, voided and synced', async () => {
    const { tenant, id } = await world.authorized()
    const caller = tenant.through(production)
    expect((await caller.capture(id)).body.status).toBe('captured')
    expect((await caller.refund(id)).body.status).toBe('refunded')
    const voided = (await tenant.authorize()).body.id
    expect((await caller.void(voided)).body.status).toBe('voided')
    const unknown = (await tenant.authorize('timeout_applied')).body.id
    expect((await caller.sync(unknown)).body.status).toBe('authorized')
  })

  test('a payment orchestrator in live mode takes payments', async () => {
    const tenant = world.tenant()
    await tenant.storeUnit({ orchestrators: [{ id: randomUUID(), mode: 'live' }] })
    expect((await tenant.through(production).authorize()).status).toBe(201)
  })
})
