import { digitsOf } from '@payments/client/currencies'

/** Amounts in minor units, as the API has them, and their text. No step calculates with fractions. */

/** `1999` of EUR is `19.99`, of JPY `1999`, of KWD `1.999`: the text of a field, which `parseMoney` reads. */
export function decimalOf(amount: number, currency: string): string {
  const digits = digitsOf(currency)
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const sign = amount < 0 ? '-' : ''
  return digits === 0 ? sign + whole : `${sign}${whole}.${text.slice(-digits)}`
}

/** `123456` of EUR is `1,234.56 EUR`. */
export function formatMoney(amount: number, currency: string): string {
  const [whole = '', fraction] = decimalOf(amount, currency).split('.')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${currency}`
}

/**
 * Minor units of an amount that a person typed, such as `19.99` or `20`. Undefined for any other text, for more digits
 * than the currency has, and for a comma, which separates thousands for some people and decimals for others.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,15})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  const digits = digitsOf(currency)
  if (whole === '' || fraction.length > digits) return undefined
  const amount = Number(whole + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(amount) ? amount : undefined
}
