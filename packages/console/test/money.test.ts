import { expect, test } from '@jest/globals'
import { formatDecimal, formatMoney, messageMoney, moneyError, parseMoney } from '../src/text/money.ts'

test.each([
  [1_999, 'EUR', '19.99 EUR'],
  [5, 'EUR', '0.05 EUR'],
  [123_456_789, 'EUR', '1,234,567.89 EUR'],
  [1_999, 'JPY', '1,999 JPY'],
  [1_999, 'KWD', '1.999 KWD'],
  [12_345_678, 'CLF', '1,234.5678 CLF'],
  [0, 'HUF', '0.00 HUF'],
])('%d minor units of %s are %s', (amount, currency, shown) => {
  expect(formatMoney(amount, currency)).toBe(shown)
})

test.each([
  ['19.99', 'EUR', 1_999],
  [' 19.9 ', 'EUR', 1_990],
  ['4,50', 'EUR', 450],
  ['19,9', 'EUR', 1_990],
  ['19', 'EUR', 1_900],
  ['1,234.50', 'EUR', 123_450],
  ['1.234,50', 'EUR', 123_450],
  ['1 234,50', 'EUR', 123_450],
  ['1’234.50', 'EUR', 123_450],
  ['1\u00a0234\u202f567,5', 'EUR', 123_456_750],
  ['1.234.567', 'EUR', 123_456_700],
  ['1,234,567.89', 'EUR', 123_456_789],
  ['1999', 'JPY', 1_999],
  ['1,999', 'JPY', 1_999],
  ['1.999', 'JPY', 1_999],
  ['1.999', 'KWD', 1_999],
  ['0,500', 'KWD', 500],
  ['1234,567', 'KWD', 1_234_567],
  ['1,234.567', 'KWD', 1_234_567],
  ['1,5', 'KWD', 1_500],
  ['9999999999.99', 'EUR', 999_999_999_999],
])('the text %j of %s is read as %d', (text, currency, amount) => {
  expect(parseMoney(text, currency)).toBe(amount)
  expect(moneyError(text, currency)).toBeUndefined()
})

test.each([
  ['1.234', 'EUR', 'can be read in two ways: write 1234.00 or 1.23'],
  [' 1,234', 'EUR', 'can be read in two ways: write 1234.00 or 1.23'],
  ['1,999', 'KWD', 'can be read in two ways: write 1999.000 or 1.999'],
  ['1.234', 'CLF', 'can be read in two ways: write 1234.0000 or 1.2340'],
  ['10000000000.00', 'EUR', 'must be at most 9,999,999,999.99 EUR'],
  ['99999999999', 'EUR', 'must be at most 9,999,999,999.99 EUR'],
  ['10.000.000.000,00', 'EUR', 'must be at most 9,999,999,999.99 EUR'],
  ['99999999999999999999', 'JPY', 'must be at most 999,999,999,999 JPY'],
  ['0.999', 'EUR', 'must be an amount such as 19.99'],
  ['1.5', 'JPY', 'must be an amount such as 1999'],
  ['4.5.0', 'KWD', 'must be an amount such as 1.999'],
])('the text %j of %s %s', (text, currency, error) => {
  expect(parseMoney(text, currency)).toBeUndefined()
  expect(moneyError(text, currency)).toBe(error)
})

test.each([
  ['1,23.45', 'EUR'],
  ['1.23,456', 'EUR'],
  ['1,234,56', 'EUR'],
  ['1.234,567,8', 'EUR'],
  ['1  234', 'EUR'],
  ['19.', 'EUR'],
  ['19,', 'EUR'],
  ['.5', 'EUR'],
  [',5', 'EUR'],
  ['-1', 'EUR'],
  ['1e3', 'EUR'],
  ['١٢', 'EUR'],
  ['0', 'EUR'],
  ['0.00', 'EUR'],
  [' ', 'EUR'],
  ['', 'EUR'],
])('the text %j is no amount of %s', (text, currency) => {
  expect(parseMoney(text, currency)).toBeUndefined()
})

test('an empty field has no error yet', () => {
  expect([moneyError('', 'EUR'), moneyError(' ', 'EUR')]).toEqual([undefined, undefined])
})

test('an amount is read as it was written, to the last minor unit', () => {
  for (const amount of [1, 99, 100, 1_999, 999_999_999_999]) {
    for (const currency of ['EUR', 'JPY', 'KWD', 'CLF']) {
      expect(parseMoney(formatDecimal(amount, currency), currency)).toBe(amount)
    }
  }
})

test.each([
  [1_999, 'EUR', 'en', '€19.99'],
  [1_999, 'EUR', 'de', '19,99 €'],
  [1_999, 'EUR', 'de-u-nu-thai', '19,99 €'],
  [1_999, 'JPY', 'en', '¥1,999'],
  [1_999, 'KWD', 'en', 'KWD 1.999'],
])('writes %d %s in a message as the pay page does, in %s', (amount, currency, locale, text) => {
  expect(messageMoney(amount, currency, locale).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(text)
})
