import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { holdLock } from '@payments/testing/database/held-lock'
import { createApp } from '../src/app.ts'
import { asInviteToPay, invitedTransaction } from './invitations.ts'
import { heldProvider, paying, startWorld, statuses, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

async function readState(tenant: TestTenant, id: string) {
  const transaction = (await tenant.read(id)).body
  return { transaction, ledger: await tenant.ledger(), events: await tenant.eventTypes() }
}

describe('payInvitation', () => {
  test('authorizes the transaction by an operation with the id of the payment', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    const { status, body } = await payer.pay(id, { payment_id })
    expect([status, body.status, body.amount_authorized]).toEqual([200, 'authorized', 10_000])
    expect(body.operations).toMatchObject([
      { id: payment_id, type: 'authorize', state: 'succeeded', actor: { type: 'payer', id: null } },
    ])
    expect((await tenant.read(id)).body).toEqual(body)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('captures in the same step', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    const { body } = await payer.pay(id, { payment_id, capture: true })
    expect([body.status, body.operations[0].id]).toEqual(['captured', payment_id])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  })

  test.each([
    ['declined', 'failed', 'declined', ['create', 'authorize.failed']],
    ['unreachable', 'pending', 'not_attempted', ['create', 'authorize.failed']],
    ['timeout_applied', 'pending', 'unknown', ['create']],
    ['pending', 'pending', 'pending', ['create']],
  ])('returns the transaction after the outcome of tok_sandbox_%s', async (token, status, state, events) => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    const reply = await payer.pay(id, { payment_id, ...paying(token) })
    expect([reply.status, reply.body.status]).toEqual([200, status])
    expect(reply.body.operations).toMatchObject([{ id: payment_id, state }])
    expect(await tenant.eventTypes()).toEqual(events)
  })

  test('accepts another payment after a declined one', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    await payer.pay(id, paying('declined'))
    expect((await payer.pay(id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'authorize'])
  })

  test('starts one operation when twenty calls with one payment_id arrive at once', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    const replies = await Promise.all(times(20, () => payer.pay(id, { payment_id })))
    expect(statuses(replies)).toEqual({ 200: 20 })
    for (const { body } of replies) expect(body.operations).toMatchObject([{ id: payment_id }])
    expect(await tenant.ledger()).toMatchObject([{ id: payment_id, state: 'succeeded' }])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('starts one operation when twenty payments arrive at once', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const replies = await Promise.all(times(20, () => payer.pay(id)))
    expect(statuses(replies)).toEqual({ 200: 1, 409: 19 })
    for (const { status, body } of replies) {
      if (status === 409) expect(['operation_in_progress', 'invalid_transaction_state']).toContain(body.code)
    }
    expect(await tenant.ledger()).toHaveLength(1)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('does not wait for the first call with the same payment_id', async () => {
    const { id, payer } = await invitedTransaction(world)
    const provider = heldProvider(world.deps.providerCalls)
    const payment_id = randomUUID()
    const first = payer
      .through(createApp({ ...world.deps, providerCalls: provider }))
      .pay(id, { payment_id })
      .then((reply) => reply)
    await provider.reached
    const second = await payer.pay(id, { payment_id })
    expect([second.status, second.body.operations[0].state]).toEqual([200, 'in_progress'])
    expect(outcome(await payer.pay(id))).toEqual([409, 'operation_in_progress'])
    provider.respond()
    expect((await first).body.status).toBe('authorized')
    expect(provider.requests).toHaveLength(1)
  })

  test('returns a started payment also when it is late, or has another amount', async () => {
    const { id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    const { body: paid } = await payer.pay(id, { payment_id })
    const again = await payer.pay(id, { payment_id, amount: 1, start_before: '2000-01-01T00:00:00Z' })
    expect([again.status, again.body]).toEqual([200, paid])
  })

  test.each([
    ['that is late', () => ({ start_before: new Date(world.deps.now().getTime() - 1).toISOString() })],
    ['of another amount', () => ({ amount: 9_999 })],
    ['in another currency', () => ({ currency: 'USD' })],
  ])('does not start a payment %s', async (_case, buildBody) => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const before = await readState(tenant, id)
    expect(outcome(await payer.pay(id, buildBody()))).toEqual([409, 'payment_not_started'])
    expect(await readState(tenant, id)).toEqual(before)
  })

  test('does not start a payment at the very instant of start_before', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const now = new Date()
    const { through } = payer
    const stopped = through(createApp({ ...world.deps, now: () => now }))
    const late = await stopped.pay(id, { start_before: now.toISOString() })
    expect(outcome(late)).toEqual([409, 'payment_not_started'])
    expect(await tenant.recorded()).toEqual([])
    const inTime = await stopped.pay(id, { start_before: new Date(now.getTime() + 1).toISOString() })
    expect(inTime.body.status).toBe('authorized')
  })

  test('does not start a payment that waited for the transaction until start_before', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const lock = await holdLock(
      world.database.ownerUrl,
      'SELECT 1 FROM transactions WHERE tenant_id = $1::uuid FOR UPDATE',
      tenant.id,
    )
    const late = payer.pay(id).then((reply) => reply)
    await lock.untilWaiting(1)
    world.advanceClock(60_000)
    await lock.release()
    expect(outcome(await late)).toEqual([409, 'payment_not_started'])
    expect(await tenant.recorded()).toEqual([])
  })

  test('does not start a payment of a transaction that is not paid by invitation', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    expect(outcome(await asInviteToPay(world, tenant).pay(id))).toEqual([409, 'payment_not_started'])
    expect(await tenant.recorded()).toEqual([])
  })

  test.each([
    ['a card number as the token', '4111 1111 1111 1111'],
    ['a token of no payment provider', 'tok_unknown'],
  ])('rejects %s, and stores nothing of it', async (_case, cc_token) => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_details = { payment_method: 'CREDIT_CARD', cc_token }
    const reply = await payer.pay(id, { payment_details })
    expect(outcome(reply)).toEqual([422, 'unknown_payment_token'])
    expect(reply.body.errors[0].pointer).toBe('/payment_details/cc_token')
    expect(JSON.stringify(reply.body)).not.toMatch(/4111\W?1111/)
    expect(await tenant.recorded()).toEqual([])
  })

  test.each([
    ['business unit', { unit: { status: 'deleted' } }, 409, 'business_unit_deleted'],
    ['payment orchestrator', { orchestrators: [{ status: 'deleted' }] }, 422, 'payment_orchestrator_unusable'],
  ] as const)('rejects a payment after the %s is deleted', async (_case, change, status, code) => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const orchestrators = 'orchestrators' in change ? change.orchestrators : [{}]
    const orchestratorId = tenant.paymentOrchestratorId
    await tenant.storeUnit({ ...change, orchestrators: orchestrators.map((one) => ({ id: orchestratorId, ...one })) })
    expect(outcome(await payer.pay(id))).toEqual([status, code])
    expect(await tenant.recorded()).toEqual([])
  })

  test('rejects a payment of a voided transaction', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    await tenant.void(id)
    expect(outcome(await payer.pay(id))).toEqual([409, 'invalid_transaction_state'])
  })

  test('responds transaction_not_found to an unknown transaction, and to one of another tenant', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const stranger = asInviteToPay(world, world.tenant())
    for (const one of [randomUUID(), id]) {
      expect(outcome(await stranger.pay(one))).toEqual([404, 'transaction_not_found'])
    }
    expect(await tenant.recorded()).toEqual([])
  })

  test.each([
    ['before', 'not_attempted'],
    ['after', 'succeeded'],
  ] as const)('leaves a payment in progress after a crash %s the provider request', async (when, state) => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const payment_id = randomUUID()
    expect((await payer.through(world.crashing(when)).pay(id, { payment_id })).status).toBe(500)
    for (const { body } of [await payer.find(id), await payer.pay(id, { payment_id })]) {
      expect(body.operations).toMatchObject([{ id: payment_id, state: 'in_progress' }])
    }
    world.advanceClock(60_000)
    await world.resumeOpen()
    expect((await payer.find(id)).body.operations).toMatchObject([{ id: payment_id, state }])
    const reached = (await tenant.ledger()).filter((one) => one.state === 'succeeded')
    expect(reached).toHaveLength(state === 'succeeded' ? 1 : 0)
  })
})
