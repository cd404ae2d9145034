import { expect, test } from '@jest/globals'
import { formatAmount } from '../src/grammar/currency.ts'

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
