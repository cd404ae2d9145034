import { describe, expect, test } from '@jest/globals'
import { concerns, patternOf, withoutPayer } from '../src/payer-data.ts'

const transaction = {
  id: '1',
  amount: 100,
  external_reference: 'order 1',
  customer_details: { name: 'Ada', email: 'Ada+shop@Example.com', phone: '+49 (30) 1-2' },
  invitation: { recipient: 'ada@example.com', communication_details: { payer_name: 'Ada' }, return_url: 'https://a' },
  metadata: { recipient: 'stays', note: 'ada@example.com' },
  transaction_items: [{ name: 'Coffee', detail: 'black' }],
  last_error: null,
}

describe('withoutPayer', () => {
  test('removes the payer by the names of fields, and leaves what is the tenant’s own', () => {
    expect(withoutPayer({ transaction, operation: { error: { code: 'card_declined' } } })).toEqual({
      transaction: {
        ...transaction,
        customer_details: null,
        invitation: { recipient: 'erased', communication_details: {}, return_url: null },
      },
      operation: { error: { code: 'card_declined' } },
    })
  })

  test('removes details of errors, which may quote an address', () => {
    const communication = { recipient: 'a@b', provider_message_id: 'id', error: { code: 'refused', detail: '550 a@b' } }
    expect(withoutPayer([communication])).toEqual([
      { recipient: 'erased', provider_message_id: null, error: { code: 'refused', detail: 'erased' } },
    ])
  })

  test('applied twice is applied once', () => {
    const once = withoutPayer({ transaction })
    expect(withoutPayer(once)).toEqual(once)
  })
})

test.each([
  ['ada@example.com', true],
  ['+49301 2'.replace(' ', ''), true],
  ['bob@example.com', false],
  ['da@example.com', false],
])('concerns %s: %s', (address, expected) => {
  const { invitation: _, ...rest } = transaction
  expect(concerns({ rest }, address)).toBe(expected)
})

test.each([
  ['ada@example.com', 'to ada+x@example.com"', true],
  ['a.a@example.com', '"aba@example.com"', false],
  ['+49301', '"+49 (30) 1"', true],
])('the pattern of %s matches %s: %s', (address, text, expected) => {
  expect(new RegExp(patternOf(address)).test(text)).toBe(expected)
})
