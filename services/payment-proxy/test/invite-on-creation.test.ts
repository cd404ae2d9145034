import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { outcome } from '@payments/testing/calls/caller'
import { createApp } from '../src/app.ts'
import { invitation, invited } from './invitations.ts'
import { startWorld, statuses, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function expectNothing(tenant: TestTenant): Promise<void> {
  expect((await tenant.list()).body.data).toEqual([])
  expect(await tenant.events()).toEqual([])
}

const unreachable = () => createApp({ ...world.deps, inviteToPay: world.inviteToPay.unreachable })

describe('createTransaction with an invitation', () => {
  test('checks the invitation, and stores, shows and emits it', async () => {
    const tenant = world.tenant()
    const given = {
      communication_type: 'SMS',
      recipient: '+4930123456',
      communication_details: { payer_name: 'Ada', variables: { order: '4711' } },
      expires_at: '2030-01-01T12:00:00+02:00',
    }
    const reply = await tenant.create({ i2p: true, invitation: given })
    const stored = {
      ...given,
      template_id: null,
      expires_at: '2030-01-01T10:00:00.000Z',
      reminder_at: null,
      return_url: null,
      locale: null,
    }
    expect([reply.status, reply.body.i2p, reply.body.invitation]).toEqual([201, true, stored])
    expect((await tenant.read(reply.body.id)).body).toEqual(reply.body)
    const { operations: _, ...snapshot } = reply.body
    expect((await tenant.events()).map(({ payload }) => payload.transaction)).toEqual([snapshot])
    const expires_at = new Date(given.expires_at)
    expect(world.inviteToPay.findChecks(tenant.id)).toEqual([
      {
        business_unit_id: tenant.businessUnitId,
        payment_orchestrator_id: null,
        invitation: { ...given, expires_at },
      },
    ])
  })

  test('checks the payment orchestrator of the request', async () => {
    const tenant = world.tenant()
    const { paymentOrchestratorId: payment_orchestrator_id } = tenant
    await tenant.create({ ...invited, transaction: { payment_orchestrator_id } })
    expect(world.inviteToPay.findChecks(tenant.id)).toMatchObject([{ payment_orchestrator_id }])
  })

  test('checks the invitation for the locale of the transaction', async () => {
    const tenant = world.tenant()
    await tenant.create({ ...invited, locale: 'fr' })
    expect(world.inviteToPay.findChecks(tenant.id)).toMatchObject([{ transaction_locale: 'fr' }])
  })

  test('needs its permission, and with capture the permission to capture', async () => {
    const tenant = world.tenant()
    const without = (name: string) => tenant.by(permissionNames.filter((one) => one !== name))
    const cashier = without('invitetopay:StartTransaction')
    expect(outcome(await cashier.create(invited))).toEqual([403, 'permission_denied'])
    const clerk = without('transaction:CaptureTransaction')
    expect(outcome(await clerk.create({ ...invited, capture: true }))).toEqual([403, 'permission_denied'])
    expect(world.inviteToPay.findChecks(tenant.id)).toEqual([])
    await expectNothing(tenant)
    expect((await cashier.create()).status).toBe(201)
    expect((await clerk.create(invited)).status).toBe(201)
  })

  test.each([
    ['i2p without an invitation', { i2p: true }, '/invitation'],
    ['an invitation without i2p', { invitation }, '/invitation'],
    [
      'a recipient of the other channel',
      { i2p: true, invitation: { ...invitation, communication_type: 'SMS' } },
      '/invitation/recipient',
    ],
    [
      'a return_url without TLS',
      { i2p: true, invitation: { ...invitation, return_url: 'http://a.example' } },
      '/invitation/return_url',
    ],
  ])('rejects %s, and stores nothing', async (_case, body, pointer) => {
    const tenant = world.tenant()
    const reply = await tenant.create(body)
    expect(outcome(reply)).toEqual([400, 'invalid_request'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer])
    await expectNothing(tenant)
  })

  const errors = [{ pointer: '/invitation/expires_at', detail: 'must be at most 70 days from now' }]
  test.each([
    new Problem(problems.template_unusable, { detail: 'The template is deleted' }),
    new Problem(problems.payment_orchestrator_without_page),
    new Problem(commonProblems.invalid_request, { errors }),
  ])('returns what invite-to-pay rejects, and stores nothing: $code', async (problem) => {
    const tenant = world.tenant()
    world.inviteToPay.rejecting(tenant.id, problem)
    const reply = await tenant.create(invited)
    expect(outcome(reply)).toEqual([problem.status, problem.code])
    expect(reply.body.errors).toEqual(problem.options.errors)
    await expectNothing(tenant)
  })

  test('responds 503 while invite-to-pay is unreachable, and stores nothing', async () => {
    const tenant = world.tenant()
    const reply = await tenant.through(unreachable()).create(invited, 'key')
    expect(outcome(reply)).toEqual([503, 'service_unavailable'])
    await expectNothing(tenant)
    expect((await tenant.create(invited, 'key')).status).toBe(201)
  })

  test('replays its response while invite-to-pay is unreachable', async () => {
    const tenant = world.tenant()
    const first = await tenant.create(invited, 'key')
    const offline = tenant.through(unreachable())
    const second = await offline.create(invited, 'key')
    expect([second.status, second.body]).toEqual([201, first.body])
    const other = await offline.create({ ...invited, amount: 1 }, 'key')
    expect(outcome(other)).toEqual([422, 'idempotency_key_reused'])
  })

  test('creates one transaction when ten requests with one key arrive at once', async () => {
    const tenant = world.tenant()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.create(invited, 'key')))
    expect(Object.keys(statuses(replies)).filter((status) => status !== '201' && status !== '409')).toEqual([])
    expect((await tenant.list()).body.data).toHaveLength(1)
    expect(await tenant.eventTypes()).toEqual(['create'])
  })
})
