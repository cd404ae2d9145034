import { expect, it } from '@jest/globals'
import { brandNameOf } from '../src/domain/card-brand.ts'

it.each([
  ['visa', 'Visa'],
  ['Mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['American Express', 'American Express'],
  ['cartes_bancaires', 'Cartes Bancaires'],
  ['union-pay', 'UnionPay'],
  ['unknown', null],
  ['ach', null],
  ['constructor', null],
  ['', null],
])('names %p as a payer reads it, and leaves out what is no brand', (identifier, name) => {
  expect(brandNameOf(identifier)).toBe(name)
})
