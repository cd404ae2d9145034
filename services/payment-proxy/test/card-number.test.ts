import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('a card number', () => {
  const pan = '4111111111111111'
  test.each([
    ['in metadata', { metadata: { note: `card ${pan} please` } }],
    ['in groups', { metadata: { note: '5500 0000 0000 0004' } }],
    ['with dashes', { customer_details: { reference: '3782-822463-10005' } }],
    ['as a number', { metadata: { n: Number(pan) } }],
    ['as a key', { metadata: { [pan]: 1 } }],
    ['as the token', { payment_details: { payment_method: 'CREDIT_CARD', cc_token: pan } }],
    ['in an unknown field', { card: { number: pan } }],
  ])('%s is rejected and stored nowhere', async (_case, body) => {
    const tenant = world.tenant()
    const reply = await tenant.authorize('visa', body)
    expect([reply.status, reply.body.code]).toEqual([400, 'raw_card_data_not_allowed'])
    expect(JSON.stringify(reply.body)).not.toMatch(/\d{13}/)
    expect((await tenant.list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  const outcomes: [string, Outcome, object][] = [
    [
      'a success',
      {
        kind: 'succeeded',
        providerReference: pan,
        amount: 10_000,
        currency: 'EUR',
        paymentMethod: { type: 'CREDIT_CARD', brand: `visa ${pan}`, last4: '1111' },
      },
      { status: 'authorized', payment_method: { brand: 'visa [card number]' } },
    ],
    [
      'a decline',
      {
        kind: 'declined',
        providerReference: pan,
        declineCode: 'do_not_honor',
        retryable: false,
        providerCode: `no ${pan}`,
      },
      { status: 'failed', operations: [{ error: { provider_code: 'no [card number]' } }] },
    ],
    [
      'an authentication',
      {
        kind: 'succeeded',
        providerReference: pan,
        amount: 10_000,
        currency: 'EUR',
        authentication: { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: pan },
      },
      { operations: [{ authentication: { version: '2.2.0', eci: '05', transaction_id: null } }] },
    ],
    ['a pending outcome', { kind: 'pending', providerReference: pan }, { operations: [{ state: 'pending' }] }],
    ['an unknown outcome', { kind: 'unknown', reason: `card ${pan}` }, { operations: [{ state: 'unknown' }] }],
  ]
  test.each(outcomes)(
    'in %s of a provider is removed, and the outcome is recorded',
    async (_case, outcome, recorded) => {
      const tenant = world.tenant()
      const provider = world.createTestProvider({ ...world.sandbox, execute: async () => outcome })
      await tenant.through(createApp({ ...world.deps, providerCalls: provider })).authorize('visa', {}, 'key')
      const [transaction] = (await tenant.list()).body.data
      expect(transaction).toMatchObject(recorded)
      expect(transaction.operations).toMatchObject([{ provider_reference: null }])
      for (const table of ['transactions', 'operations', 'outbox_events', 'idempotency_keys']) {
        const rows = await world.rows(
          `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE tenant_id = $1::uuid`,
          tenant.id,
        )
        expect(JSON.stringify(rows)).not.toContain(pan)
      }
    },
  )

  test('is found with escaped digits and in malformed JSON, and other charsets are rejected', async () => {
    const tenant = world.tenant()
    const escaped = `{"currency":"EUR","metadata":{"a":"${pan.replaceAll('1', '\\u0031')}"}}`
    const send = (body: string, type?: string) =>
      tenant.send('post', '/v1/payment-proxy/transactions', body, undefined, type)
    expect((await send(escaped)).body.code).toBe('raw_card_data_not_allowed')
    expect((await send(`{"a":"${pan}"`)).body.code).toBe('raw_card_data_not_allowed')
    const utf16 = await send('{}', 'application/json; charset=utf-16')
    expect([utf16.status, utf16.body.code]).toEqual([415, 'unsupported_media_type'])
  })
})
