import { expect, it } from '@jest/globals'
import { formatBrand } from '../src/domain/card-brand.ts'

it.each([
  ['visa', 'Visa'],
  ['Mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['American Express', 'American Express'],
  ['cartes_bancaires', 'Cartes Bancaires'],
  ['union-pay', 'UnionPay'],
  ['unknown', null],
  ['ach', null],
  ['other', null],
  ['  ', null],
  ['constructor', 'constructor'],
  ['Carte Bleue', 'Carte Bleue'],
  ['銀聯', '銀聯'],
  ['', null],
])(
  'names %p as a payer reads it, one that we do not know as given, and leaves out what is no brand',
  (identifier, name) => {
    expect(formatBrand(identifier)).toBe(name)
  },
)
