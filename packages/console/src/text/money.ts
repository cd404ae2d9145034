import { digitsOf } from '@payments/client/currencies'

const amountMax = 999_999_999_999

/** An amount in minor units, as people write it: `1,234.50 EUR`, `1,999 JPY`. */
export function formatMoney(amount: number, currency: string): string {
  return `${decimalOf(amount, currency).replace(/\B(?=(\d{3})+(\.|$))(?<!\.\d*)/g, ',')} ${currency}`
}

/** An amount in minor units, as the pay page and messages to payers write it: `€1,234.50`. */
export function messageMoney(amount: number, currency: string, locale: string): string {
  const digits = digitsOf(currency)
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat(messageFormats(locale), { style: 'currency', currency, ...fraction })
  return format.format(decimalOf(amount, currency) as `${number}`)
}

/** Whether a text has the form of a locale, such as `de` or `pt-BR`. */
export const isLocale = (written: string): boolean => /^[a-z]{2}(-[A-Z]{2})?$/.test(written)

/** How messages write numbers and dates in a locale: Portuguese without a region as in Portugal. */
export const messageFormats = (locale: string): string => (locale === 'pt' ? 'pt-PT' : locale)

/** As `formatMoney` without separators and currency, as a field takes it: `1234.50`. */
export function decimalOf(amount: number, currency: string): string {
  const digits = digitsOf(currency)
  const text = String(amount).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/**
 * The minor units of a text such as `1234.5`; undefined where the text is no positive amount of the currency. A comma
 * is rejected: it separates thousands in one language, and decimals in another.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency)
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === '' || fraction.length > digits) return undefined
  const amount = Number(whole + fraction.padEnd(digits, '0'))
  return amount >= 1 && amount <= amountMax ? amount : undefined
}
