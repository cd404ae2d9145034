import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { readPaymentForm } from '../src/page/form.ts'

const type = 'application/x-www-form-urlencoded'
const fields = { nonce: 'n1', payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }
const encode = (values: Record<string, string>) => new URLSearchParams(values).toString()
const read = (body: string | Uint8Array, contentType: string | undefined = type) =>
  readPaymentForm({ bytes: Buffer.from(body as Uint8Array), headers: { 'content-type': contentType } })

it.each([type, `${type};charset=UTF-8`, 'Application/X-WWW-Form-Urlencoded ; charset=utf-8'])(
  'reads the form of the page: %s',
  (contentType) => {
    expect(read(encode(fields), contentType)).toEqual({
      nonce: 'n1',
      paymentDetails: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
    })
  },
)

it('reads what a browser encodes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), (token) => {
      const form = read(encode({ ...fields, cc_token: token }))
      expect(form?.paymentDetails.cc_token).toBe(token.includes('\0') ? undefined : token)
    }),
  )
})

it.each([
  ['an empty content type', encode(fields), ''],
  ['another content type', encode(fields), 'application/json'],
  ['a longer content type', encode(fields), `${type}x`],
  ['nothing', ''],
  ['a missing nonce', encode({ payment_method: 'ACH', cc_token: 'x' })],
  ['an empty nonce', encode({ ...fields, nonce: '' })],
  ['a long nonce', encode({ ...fields, nonce: 'n'.repeat(201) })],
  ['a missing token', encode({ nonce: 'n1', payment_method: 'ACH' })],
  ['an empty token', encode({ ...fields, cc_token: '' })],
  ['a long token', encode({ ...fields, cc_token: 't'.repeat(201) })],
  ['a NUL in the token', encode({ ...fields, cc_token: 'a\0' })],
  ['an unknown payment method', encode({ ...fields, payment_method: 'CASH' })],
  ['an unknown name', encode({ ...fields, amount: '1' })],
  ['an unknown name in place of another', encode({ nonce: 'n', cc_token: 't', __proto__x: 'ACH' })],
  ['a name twice', `${encode(fields)}&cc_token=tok_2`],
  ['a name twice in place of another', 'nonce=a&nonce=b&cc_token=t'],
  ['more than 4 KiB', `${encode(fields)}${'&'.repeat(4096)}`],
])('rejects %s', (_what, body, contentType: string = type) => {
  expect(read(body, contentType)).toBeUndefined()
})

it('rejects a body without a content type', () => {
  expect(readPaymentForm({ bytes: Buffer.from(encode(fields)), headers: {} })).toBeUndefined()
})

it('throws for no bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      expect(read(bytes)).toBeUndefined()
    }),
  )
})
