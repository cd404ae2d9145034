import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newCodeValue } from '../src/domain/code-value.ts'
import { issueNonce, isValidNonce } from '../src/domain/nonce.ts'

const seen = { version: 3, amount: 3998, currency: 'EUR' }
const value = newCodeValue()
const issuedAt = new Date('2026-11-22T10:00:30Z')
const after = (minutes: number) => new Date(issuedAt.getTime() + minutes * 60_000)

test('a nonce is valid for an hour, and for what the payer saw only', () => {
  const nonce = issueNonce(value, seen, issuedAt)
  expect([0, 59].map((minutes) => isValidNonce(nonce, value, seen, after(minutes)))).toEqual([true, true])
  expect([-1, 60].map((minutes) => isValidNonce(nonce, value, seen, after(minutes)))).toEqual([false, false])
  for (const other of [{ version: 4 }, { amount: 3999 }, { currency: 'USD' }]) {
    expect(isValidNonce(nonce, value, { ...seen, ...other }, issuedAt)).toBe(false)
  }
  expect(isValidNonce(nonce, newCodeValue(), seen, issuedAt)).toBe(false)
})

test('no other text is a nonce', () => {
  const nonce = issueNonce(value, seen, issuedAt)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom(nonce.slice(0, -1), `${nonce}A`, `0${nonce}`)), (text) => {
      expect(isValidNonce(text, value, seen, issuedAt)).toBe(false)
    }),
  )
})
