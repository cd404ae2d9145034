import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { parseOutcome, parseReport } from '../src/connectors/http/protocol.ts'
import { parseJson } from '../src/connectors/signature.ts'

describe('reads liberally what stands beside state, amount and currency', () => {
  const id = randomUUID()
  const succeeded = { operation_id: id, state: 'succeeded', reference: 'ch_1', amount: 1, currency: 'EUR' }
  const declined = { operation_id: id, state: 'declined', reference: null }
  const card = { type: 'CREDIT_CARD', brand: 'visa', last4: '4242' }
  const authentication = { version: null, result: 'authenticated', eci: null, transaction_id: null }
  const plain = { kind: 'succeeded', providerReference: 'ch_1', amount: 1, currency: 'EUR' }

  test.each<[string, object, object]>([
    ['an unknown member', { ...succeeded, network: 'x' }, plain],
    ['a null payment method', { ...succeeded, payment_method: null, authentication: null }, plain],
    ['a payment method of another form', { ...succeeded, payment_method: { ...card, last4: 42 } }, plain],
    ['a reference that is a number', { ...succeeded, reference: 17 }, { ...plain, providerReference: '17' }],
    ['no reference', { ...succeeded, reference: undefined }, { ...plain, providerReference: null }],
    ['an authentication with an unknown result', { ...succeeded, authentication: { result: 'maybe' } }, plain],
    [
      'an authentication with an unknown member',
      { ...succeeded, authentication: { ...authentication, eci: 5, cavv: 'x' } },
      { ...plain, authentication: { ...authentication, eci: '5' } },
    ],
    [
      'an unknown decline code',
      { ...declined, decline: { code: 'velocity' } },
      {
        kind: 'declined',
        providerReference: null,
        declineCode: 'card_declined',
        retryable: false,
        providerCode: 'velocity',
      },
    ],
    [
      'no decline',
      declined,
      { kind: 'declined', providerReference: null, declineCode: 'card_declined', retryable: false, providerCode: null },
    ],
    [
      'no action',
      { ...declined, state: 'action_required', action: null },
      { kind: 'action_required', providerReference: null, action: { type: 'redirect', url: '', expires_at: '' } },
    ],
  ])('%s', (_case, body, outcome) => {
    expect(parseOutcome(body, id, 2)).toEqual(outcome)
  })

  test('a report with a declined operation without a reference, and one of another system', () => {
    const reported = { operation_id: id, type: 'authorize', received_at: '2026-11-28T10:00:00Z' }
    const operations = [
      { ...reported, state: 'declined', reference: null, amount: 1, currency: 'EUR' },
      { ...reported, state: 'action_required', reference: 'a', amount: 1, currency: 'EUR' },
      { ...reported, state: 'succeeded', reference: 'x', amount: 1_000_000_000_000, currency: 'eur' },
    ]
    const found = parseReport({ operations }).operations
    expect(found.map((one) => [one.state, one.providerReference, one.amount, one.currency])).toEqual([
      ['declined', null, 1, 'EUR'],
      ['pending', 'a', 1, 'EUR'],
      ['succeeded', 'x', 1_000_000_000_000, 'eur'],
    ])
  })

  test.each<[string, object]>([
    ['an amount that is text', { ...succeeded, amount: '1' }],
    ['an amount with a fraction', { ...succeeded, amount: 1.5 }],
    ['no amount', { ...succeeded, amount: null }],
    ['a currency in lower case', { ...succeeded, currency: 'eur' }],
    ['an unknown state', { ...succeeded, state: 'done' }],
    ['another operation', { ...succeeded, operation_id: randomUUID() }],
  ])('and strictly: %s is no outcome', (_case, body) => {
    expect(() => parseOutcome(body, id, 2)).toThrow()
  })

  test('a body may begin with a byte order mark, and end with blanks', () => {
    expect(parseJson(Buffer.from(`\ufeff${JSON.stringify(succeeded)}\n`))).toEqual(succeeded)
  })
})

test('a report has instants that a response can show', () => {
  const reported = { type: 'capture', state: 'succeeded', reference: 'ch_1', amount: 100, currency: 'EUR' }
  const report = (received_at: string) =>
    parseReport({ operations: [{ ...reported, operation_id: randomUUID(), received_at }], next: null })
  expect(report('2026-11-22T10:00:00+01:00').operations).toMatchObject([{ receivedAt: new Date('2026-11-22T09:00Z') }])
  expect(() => report('9999-12-31T23:59:59-01:00')).toThrow('must be from 1970 to 9999')
})
