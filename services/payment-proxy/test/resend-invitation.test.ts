import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { outcome } from '@payments/testing/calls/caller'
import { createApp } from '../src/app.ts'
import { invitedTransaction } from './invitations.ts'
import { startWorld, statuses, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const offline = () => createApp({ ...world.deps, inviteToPay: world.inviteToPay.unreachable })

describe('resendInvitation', () => {
  test('sends a message per request, and returns the transaction', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const replies = [await tenant.resend(id), await tenant.resend(id)]
    const { body: transaction } = await tenant.read(id)
    const whole = { ...transaction, missing_permission: null }
    for (const { status, body } of replies) expect([status, body]).toEqual([202, whole])
    expect(new Set(world.inviteToPay.findResends(tenant.id)).size).toBe(2)
    expect(await tenant.eventTypes()).toEqual(['create'])
  })

  test('shows status and amounts alone without transaction:ReadTransaction, also in a repeated response', async () => {
    const { tenant, id } = await invitedTransaction(world, {
      external_reference: 'order-4711',
      customer_details: { name: 'Ada Payer', email: 'ada.payer@example.com' },
      metadata: { table: 'twelve' },
    })
    const { body: transaction } = await tenant.read(id)
    const resender = tenant.by(['invitetopay:ResendCode'])
    for (const reply of [await resender.resend(id, 'key'), await resender.resend(id, 'key')]) {
      const { status, currency, amount } = transaction
      expect(reply.status).toBe(202)
      const missing_permission = 'transaction:ReadTransaction'
      const hidden = { customer_details: null, invitation: null, metadata: {}, operations: [], transaction_items: [] }
      expect(reply.body).toMatchObject({ id, status, currency, amount, missing_permission, ...hidden })
      expect(reply.text).not.toMatch(/Ada|payer|4711|twelve|\+49/)
    }
    expect(world.inviteToPay.findResends(tenant.id)).toHaveLength(1)
  })

  test('replays its response, also while invite-to-pay is unreachable', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const first = await tenant.resend(id, 'key')
    await tenant.void(id)
    const second = await tenant.through(offline()).resend(id, 'key')
    expect([second.status, second.body]).toEqual([202, first.body])
    expect(second.get('Idempotent-Replayed')).toBe('true')
    expect(world.inviteToPay.findResends(tenant.id)).toHaveLength(1)
  })

  test('sends one message and stores one response for ten requests with one key at once', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.resend(id, 'key')))
    expect(Object.keys(statuses(replies)).filter((status) => status !== '202' && status !== '409')).toEqual([])
    expect(new Set(world.inviteToPay.findResends(tenant.id)).size).toBe(1)
    expect((await tenant.resend(id, 'key')).status).toBe(202)
  })

  test('repeats the same message after invite-to-pay was unreachable or rejected it', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const unreachable = await tenant.through(offline()).resend(id, 'key')
    expect(outcome(unreachable)).toEqual([503, 'service_unavailable'])
    world.inviteToPay.rejecting(tenant.id, new Problem(problems.resend_too_soon, { retryAfterSeconds: 12 }))
    expect(outcome(await tenant.resend(id, 'key'))).toEqual([409, 'resend_too_soon'])
    world.inviteToPay.accepting(tenant.id)
    expect((await tenant.resend(id, 'key')).status).toBe(202)
    const [first, ...others] = world.inviteToPay.findResends(tenant.id)
    expect(others).toEqual([first])
  })

  test('rejects the key of another request, and sends nothing', async () => {
    const { tenant, id } = await invitedTransaction(world)
    const { body: other } = await tenant.create({
      i2p: true,
      invitation: { communication_type: 'SMS', recipient: '+4930123456' },
    })
    await tenant.resend(id, 'key')
    expect(outcome(await tenant.resend(other.id, 'key'))).toEqual([422, 'idempotency_key_reused'])
    expect(world.inviteToPay.findResends(tenant.id)).toHaveLength(1)
  })

  test.each([
    'code_not_found',
    'code_not_active',
    'template_unusable',
    'resend_too_soon',
    'resend_limit_reached',
  ] as const)('returns what invite-to-pay rejects: %s', async (code) => {
    const { tenant, id } = await invitedTransaction(world)
    const problem = new Problem(problems[code], { detail: 'Not now', retryAfterSeconds: 12 })
    world.inviteToPay.rejecting(tenant.id, problem)
    const reply = await tenant.resend(id)
    expect([...outcome(reply), reply.body.detail]).toEqual([problem.status, code, 'Not now'])
    expect(reply.get('Retry-After')).toBe('12')
  })

  test('responds code_not_found to a transaction that is not paid by invitation', async () => {
    const { tenant, id } = await world.authorized()
    expect(outcome(await tenant.resend(id, 'key'))).toEqual([404, 'code_not_found'])
    expect(world.inviteToPay.findResends(tenant.id)).toEqual([])
  })

  test('the transaction of another tenant and an unknown one are the same transaction_not_found', async () => {
    const { id } = await invitedTransaction(world)
    const stranger = world.tenant()
    for (const unknown of [id, randomUUID()]) {
      expect(outcome(await stranger.resend(unknown))).toEqual([404, 'transaction_not_found'])
    }
    expect(world.inviteToPay.findResends(stranger.id)).toEqual([])
  })
})
