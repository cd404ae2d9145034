import { expect, test } from '@jest/globals'
import { decimalOf, formatMoney, parseMoney } from '../src/text/money.ts'

test.each([
  [1999, 'EUR', '19.99 EUR'],
  [123_456_789, 'EUR', '1,234,567.89 EUR'],
  [5, 'EUR', '0.05 EUR'],
  [-1999, 'USD', '-19.99 USD'],
  [-123_456, 'JPY', '-123,456 JPY'],
  [1999, 'JPY', '1,999 JPY'],
  [1999, 'KWD', '1.999 KWD'],
  [12_345_678, 'CLF', '1,234.5678 CLF'],
  // Two digits by ISO 4217, and none in the data of browsers.
  [123_400, 'HUF', '1,234.00 HUF'],
  [999_999_999_999, 'EUR', '9,999,999,999.99 EUR'],
])('%d of %s is shown as %s', (amount, currency, shown) => {
  expect(formatMoney(amount, currency)).toBe(shown)
})

test.each([
  ['19.99', 'EUR', 1999],
  [' 20 ', 'EUR', 2000],
  ['19.9', 'EUR', 1990],
  ['0.07', 'EUR', 7],
  ['1999', 'JPY', 1999],
  ['1.999', 'KWD', 1999],
  ['4.35', 'EUR', 435],
  ['1.15', 'EUR', 115],
])('%j in %s is read as %d minor units', (text, currency, amount) => {
  expect(parseMoney(text, currency)).toBe(amount)
})

test.each([
  ['', 'EUR'],
  ['19.999', 'EUR'],
  ['19.9', 'JPY'],
  ['19,99', 'EUR'],
  ['1,999', 'EUR'],
  ['-5', 'EUR'],
  ['1e3', 'EUR'],
  ['.50', 'EUR'],
  ['5.', 'EUR'],
  ['0x10', 'EUR'],
  ['١٢', 'EUR'],
  ['999999999999999', 'EUR'],
])('%j in %s is no amount', (text, currency) => {
  expect(parseMoney(text, currency)).toBeUndefined()
})

test('the text of a field is read as the same amount', () => {
  const amounts = [0, 1, 9, 10, 99, 100, 101, 1_999, 123_456, 999_999_999_999]
  for (const currency of ['EUR', 'JPY', 'KWD', 'UYW']) {
    expect(amounts.map((amount) => parseMoney(decimalOf(amount, currency), currency))).toEqual(amounts)
  }
})
