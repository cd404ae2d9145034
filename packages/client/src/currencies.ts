import { minorUnitDigits } from './generated/currencies.ts'

/**
 * The number of digits of the minor unit of a currency (ISO 4217): an `amount` of 1999 is 19.99 EUR, 1999 JPY and 1.999
 * KWD. `Intl.NumberFormat` has other numbers for some currencies.
 */
export const countMinorUnitDigits = (currency: string): number =>
  Object.hasOwn(minorUnitDigits, currency) ? (minorUnitDigits[currency] ?? 2) : 2
