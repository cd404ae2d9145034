import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openBank, return_url, waitingPayment } from './bank.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const minuteMs = 60_000

const waiting = (token?: string, body?: object) => waitingPayment(world, token, body)

const readOperations = async (tenant: TestTenant, id: string) =>
  (await tenant.read(id)).body.operations.map(({ type, state }: { type: string; state: string }) => [type, state])

describe('an authorization that the payer must confirm', () => {
  test('responds 202 with the address of the bank, and emits no event yet', async () => {
    const { tenant, reply } = await waiting()
    expect([reply.status, reply.body.status]).toEqual([202, 'pending'])
    const { state, type, action } = reply.body.pending_operation
    expect([type, state, action.type]).toEqual(['authorize', 'action_required', 'redirect'])
    expect(action.url).toMatch(/^https:\/\/pay\.payments\.test\/pay\/sandbox-bank\/[\w-]{22}$/)
    const leftMs = Date.parse(action.expires_at) - Date.now()
    expect(leftMs > 29 * minuteMs && leftMs <= 30 * minuteMs).toBe(true)
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('a repeated response has the address of the bank for another credential that may authorize', async () => {
    const tenant = world.tenant()
    const first = await tenant.authorize('challenge', { return_url }, 'key')
    const other = tenant.by(['transaction:CreateTransaction', 'transaction:AuthorizeTransaction'])
    const again = await other.authorize('challenge', { return_url }, 'key')
    expect([again.status, again.get('Idempotent-Replayed')]).toEqual([202, 'true'])
    expect(again.body.pending_operation.action).toEqual(first.body.pending_operation.action)
    expect((await tenant.by(['transaction:CreateTransaction']).authorize('challenge', {}, 'key')).status).toBe(403)
  })

  test('without return_url is declined with authentication_required', async () => {
    const tenant = world.tenant()
    const { status, body } = await tenant.authorize('challenge')
    expect([status, body.code, body.decline_code]).toEqual([402, 'payment_declined', 'authentication_required'])
  })

  test.each([
    ['http://shop.example.com', 'http'],
    ['https://user:secret@shop.example.com', 'credentials'],
    ['/orders/1', 'a path'],
    ['javascript:alert(1)', 'a script'],
  ])('rejects the return_url %s (%s), and creates nothing', async (url) => {
    const tenant = world.tenant()
    const { status, body } = await tenant.authorize('challenge', { return_url: url })
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '/return_url'])
    expect(await tenant.eventTypes()).toEqual([])
  })

  test('is authorized once the payer confirms, and the event has the authentication', async () => {
    const { tenant, id, bank } = await waiting()
    expect(await bank.decide('confirm')).toEqual([303, return_url])
    expect((await tenant.read(id)).body.status).toBe('pending')
    await world.applyProviderEvents()
    const { body } = await tenant.read(id)
    expect([body.status, body.pending_operation]).toEqual(['authorized', null])
    const authentication = { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: expect.any(String) }
    expect(body.operations[0]).toMatchObject({ state: 'succeeded', authentication })
    const [, authorized] = await tenant.events()
    expect(authorized?.type).toBe('payment-proxy.transactions.authorize')
    expect(authorized?.payload.operation).toMatchObject({ authentication })
  })

  test('is authorized by a sync at the return of the payer, before the webhook', async () => {
    const { tenant, id, bank } = await waiting()
    await bank.decide('confirm')
    expect((await tenant.sync(id)).body.status).toBe('authorized')
    await world.applyProviderEvents()
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('is captured after the confirmation, when requested', async () => {
    const { tenant, id, bank } = await waiting('challenge', { capture: true })
    await bank.decide('confirm')
    expect((await tenant.sync(id)).body.status).toBe('captured')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
    const [, event] = await tenant.events()
    expect(event?.payload.transaction).toMatchObject({ status: 'captured' })
  })

  test('is declined once the payer declines, and can be completed with another card', async () => {
    const { tenant, id, bank } = await waiting()
    await bank.decide('decline')
    const { body } = await tenant.sync(id)
    expect([body.status, body.last_error.decline_code]).toEqual(['failed', 'authentication_failed'])
    expect(body.operations[0].authentication.result).toBe('failed')
    expect((await tenant.complete(id)).body.status).toBe('authorized')
  })

  test('of tok_sandbox_challenge_declined is declined, also after a confirmation', async () => {
    const { tenant, id, bank } = await waiting('challenge_declined')
    await bank.decide('confirm')
    expect((await tenant.sync(id)).body.status).toBe('failed')
  })

  test('of tok_sandbox_challenge_slow_{s} is pending after the confirmation', async () => {
    const { tenant, id, bank } = await waiting('challenge_slow_600')
    await bank.decide('confirm')
    const { status, body } = await tenant.sync(id)
    expect([status, body.pending_operation.state, body.pending_operation.action]).toEqual([202, 'pending', null])
  })

  test('waits for nothing meanwhile: a sync finds it open, other operations are rejected', async () => {
    const { tenant, id } = await waiting()
    const { status, body } = await tenant.sync(id)
    expect([status, body.pending_operation.state]).toEqual([202, 'action_required'])
    const rejected = await Promise.all([tenant.complete(id), tenant.capture(id), tenant.refund(id)])
    expect(rejected.map((reply) => [reply.status, reply.body.code])).toEqual(
      Array(3).fill([409, 'operation_in_progress']),
    )
  })

  test('has one response for one Idempotency-Key: 202 at first, later the outcome', async () => {
    const tenant = world.tenant()
    const body = { return_url }
    const first = await tenant.authorize('challenge', body, 'k')
    const again = await tenant.authorize('challenge', body, 'k')
    expect([again.status, again.body]).toEqual([202, first.body])
    await openBank(world, first.body.pending_operation.action.url).decide('confirm')
    await world.applyProviderEvents()
    const last = await tenant.authorize('challenge', body, 'k')
    expect([last.status, last.body.status]).toEqual([201, 'authorized'])
    expect(await tenant.ledger()).toHaveLength(1)
  })

  test('is listed by its state', async () => {
    const { tenant, id } = await waiting()
    const { body } = await tenant.list('?pending_state=action_required')
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([id])
    expect((await tenant.list('?pending_state=unknown')).body.data).toEqual([])
  })

  test('is unknown after the time of the payer, until the provider reports the cancellation', async () => {
    const { tenant, id } = await waiting()
    world.advanceClock(30 * minuteMs)
    try {
      const { pending_operation } = (await tenant.read(id)).body
      expect([pending_operation.state, pending_operation.action]).toEqual(['unknown', null])
      const { body } = await tenant.list('?pending_state=unknown')
      expect(body.data.map((one: { id: string }) => one.id)).toEqual([id])
    } finally {
      world.advanceClock(-30 * minuteMs)
    }
  })
})

describe('the end of the time of the payer', () => {
  test('cancels at the provider, and the payment is declined with authentication_expired', async () => {
    const { tenant, id, bank } = await waiting()
    world.advanceClock(30 * minuteMs)
    await world.resumeOpen()
    const { body } = await tenant.read(id)
    expect([body.status, body.last_error.decline_code]).toEqual(['failed', 'authentication_expired'])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed'])
    expect(await bank.decide('confirm')).toEqual([410, null])
  })

  test('takes a payment that was confirmed in the last second', async () => {
    const { tenant, id, bank } = await waiting()
    await bank.decide('confirm')
    world.advanceClock(31 * minuteMs)
    await world.resumeOpen()
    expect((await tenant.read(id)).body.status).toBe('authorized')
    await world.applyProviderEvents()
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })
})

describe('a void while the payer decides', () => {
  test('cancels at the provider, then voids the transaction', async () => {
    const { tenant, id, bank } = await waiting()
    const { status, body } = await tenant.void(id, { reason: 'out of stock' }, 'k')
    expect([status, body.status]).toEqual([200, 'voided'])
    expect(await readOperations(tenant, id)).toEqual([
      ['authorize', 'declined'],
      ['void', 'succeeded'],
    ])
    expect(body.operations[0].error.decline_code).toBe('authentication_canceled')
    expect(body.operations[1].reason).toBe('out of stock')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'void'])
    expect((await tenant.void(id, { reason: 'out of stock' }, 'k')).body).toEqual(body)
    expect(await bank.decide('confirm')).toEqual([410, null])
    expect((await tenant.complete(id)).body.code).toBe('invalid_transaction_state')
  })

  test.each([
    ['an authorization', {}],
    ['an authorization with capture', { capture: true }],
  ])('of %s that was confirmed before, releases the amount', async (_case, body) => {
    const { tenant, id, bank } = await waiting('challenge', body)
    await bank.decide('confirm')
    const reply = await tenant.void(id)
    expect([reply.status, reply.body.status, reply.body.amount_voided]).toEqual([200, 'voided', 10_000])
    expect(await readOperations(tenant, id)).toEqual([
      ['authorize', 'succeeded'],
      ['void', 'succeeded'],
    ])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize', 'void'])
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('of the original request, a repetition shows the decline', async () => {
    const tenant = world.tenant()
    const { body } = await tenant.authorize('challenge', { return_url }, 'k')
    await tenant.void(body.id)
    const again = await tenant.authorize('challenge', { return_url }, 'k')
    expect([again.status, again.body.decline_code]).toEqual([402, 'authentication_canceled'])
  })

  test('is sent again by the sweeper after a crash', async () => {
    const { tenant, id } = await waiting()
    const voided = await tenant.through(world.crashing('before')).void(id)
    expect(voided.status).toBe(500)
    world.advanceClock(minuteMs)
    await world.resumeOpen()
    await world.resumeOpen()
    expect((await tenant.read(id)).body.status).toBe('voided')
  })

  test('ten at once: the transaction is voided once', async () => {
    const { tenant, id } = await waiting()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.void(id)))
    expect(replies.every(({ status }) => status === 200 || status === 202 || status === 409)).toBe(true)
    expect((await tenant.read(id)).body.status).toBe('voided')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'void'])
  })
})
