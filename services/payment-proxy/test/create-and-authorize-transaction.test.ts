import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('createAndAuthorizeTransaction', () => {
  test('responds 201 with the authorized transaction, and emits its creation and its authorization', async () => {
    const tenant = world.tenant()
    const reply = await tenant.authorize('visa', { external_reference: 'order-1' })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({
      status: 'authorized',
      external_reference: 'order-1',
      amount_authorized: 10_000,
      amount_capturable: 10_000,
      amount_refundable: 0,
      payment_method: { type: 'CREDIT_CARD', brand: 'visa', last4: '4242' },
      pending_operation: null,
      last_error: null,
      operations: [{ type: 'authorize', state: 'succeeded', stage: null, attempt_count: 1 }],
    })
    const expiresInMs = Date.parse(reply.body.authorization_expires_at) - Date.parse(reply.body.created_at)
    expect(Math.round(expiresInMs / 3_600_000)).toBe(7 * 24)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
    const [, authorized] = await tenant.events()
    const { operations, ...snapshot } = reply.body
    expect(authorized).toMatchObject({ business_unit_id: tenant.businessUnitId })
    expect(authorized?.payload).toEqual({ transaction: snapshot, operation: operations[0], version: snapshot.version })
    expect((await tenant.read(reply.body.id)).body).toEqual(reply.body)
  })

  test('with capture, authorizes and captures in one request and emits one event', async () => {
    const tenant = world.tenant()
    const reply = await tenant.authorize('mastercard', { capture: true })
    expect([reply.status, reply.body.status]).toEqual([201, 'captured'])
    expect(reply.body.operations).toMatchObject([
      { type: 'authorize', stage: 'authorize', state: 'succeeded' },
      { type: 'capture', stage: 'capture', state: 'succeeded' },
    ])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
    expect((await tenant.events()).at(-1)?.payload.operation).toMatchObject({ type: 'capture', stage: 'capture' })
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('with capture, requires the permission to capture', async () => {
    const tenant = world.tenant()
    const cashier = tenant.by(permissionNames.filter((name) => name !== 'transaction:CaptureTransaction'))
    const rejected = await cashier.authorize('visa', { capture: true })
    expect([rejected.status, rejected.body.code]).toEqual([403, 'permission_denied'])
    expect((await cashier.authorize('visa')).status).toBe(201)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('when the capture is declined, responds 402 with the stage capture and keeps the authorization', async () => {
    const tenant = world.tenant()
    const reply = await tenant.authorize('capture_declined', { capture: true })
    expect([reply.status, reply.body.code]).toEqual([402, 'payment_declined'])
    expect(reply.body).toMatchObject({ stage: 'capture', decline_code: 'card_declined', retryable: false })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture.failed'])
    const { body } = await tenant.read(reply.body.transaction_id)
    expect(body).toMatchObject({ status: 'authorized', amount_capturable: 10_000 })
    expect(body.last_error).toMatchObject({ code: 'payment_declined', operation_id: reply.body.operation_id })
  })

  test.each([
    ['declined', 'card_declined', false],
    ['insufficient_funds', 'insufficient_funds', true],
  ])(
    'responds 402 to a card that is %s, and the transaction can be completed with another card',
    async (token, code, retryable) => {
      const tenant = world.tenant()
      const reply = await tenant.authorize(token)
      expect([reply.status, reply.body.code]).toEqual([402, 'payment_declined'])
      expect(reply.body).toMatchObject({ decline_code: code, retryable, provider_code: code })
      expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed'])
      const id = reply.body.transaction_id
      expect((await tenant.read(id)).body).toMatchObject({ status: 'failed', last_error: { decline_code: code } })
      const completed = await tenant.complete(id, 'visa')
      expect([completed.status, completed.body.status, completed.body.last_error]).toEqual([200, 'authorized', null])
    },
  )

  test('responds 502 when the provider is unreachable: nothing was attempted, and a retry succeeds', async () => {
    const tenant = world.tenant()
    const reply = await tenant.authorize('unreachable')
    expect([reply.status, reply.body.code]).toEqual([502, 'provider_unreachable'])
    expect(await tenant.ledger()).toEqual([])
    const { body } = await tenant.read(reply.body.transaction_id)
    expect([body.status, body.operations[0].state]).toEqual(['pending', 'not_attempted'])
    expect((await tenant.complete(body.id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'authorize'])
  })

  test('rejects a token that the sandbox does not know with 422, and creates nothing', async () => {
    const tenant = world.tenant()
    for (const token of ['visa2', 'slow_99999', '', 'constructor']) {
      const reply = await tenant.authorize(token)
      expect([reply.status, reply.body.code]).toEqual([422, 'unknown_payment_token'])
    }
    expect((await tenant.list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })
})
