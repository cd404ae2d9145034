import { expect, test } from '@jest/globals'
import { currencyCode, endOfCurrency, formatAmount, isCurrency } from '../src/grammar/currency.ts'

test.each([
  [3998, 'JPY', '3998 JPY'],
  [0, 'JPY', '0 JPY'],
  [3998, 'EUR', '39.98 EUR'],
  [5, 'EUR', '0.05 EUR'],
  [-5, 'EUR', '-0.05 EUR'],
  [-3998, 'JPY', '-3998 JPY'],
  [3998, 'KWD', '3.998 KWD'],
  [3998, 'CLF', '0.3998 CLF'],
  [Number.MAX_SAFE_INTEGER, 'EUR', '90071992547409.91 EUR'],
  [3998, 'BONUS', '3998 minor units of BONUS'],
])('%i minor units of %s are %s', (amount, currency, text) => {
  expect(formatAmount(amount, currency)).toBe(text)
})

test('a withdrawn currency ends after its last day, and stays a currency of older payments', () => {
  expect(endOfCurrency('BGN', new Date('2025-12-31T23:59:59.999Z'))).toBeUndefined()
  expect(endOfCurrency('BGN', new Date('2026-01-01T00:00:00.000Z'))).toBe('2025-12-31')
  expect(endOfCurrency('EUR', new Date('2099-01-01T00:00:00.000Z'))).toBeUndefined()
  expect(isCurrency('BGN') && currencyCode.safeParse('BGN').success).toBe(true)
  expect(formatAmount(1999, 'BGN')).toBe('19.99 BGN')
})

test.each(['ANG', 'BYR', 'CUC', 'HRK', 'LTL', 'LVL', 'MRO', 'SLL', 'STD', 'VEF', 'ZMK', 'ZWL'])(
  '%s, which was withdrawn before the platform took payments, is no currency',
  (code) => {
    expect(isCurrency(code)).toBe(false)
  },
)
