import { decimalAmount } from '@payments/contracts/grammar/currency'

const headerLengthMax = 1000
const rangesMax = 10
const languageTag = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

/** The locale that the payer prefers, of those that this process can format. `en` without one. */
export function preferredLocale(acceptLanguage: string | undefined): string {
  if (acceptLanguage === undefined || acceptLanguage.length > headerLengthMax) return 'en'
  const tags = acceptLanguage
    .split(',', rangesMax)
    .map((range) => {
      const [tag = '', quality = 'q=1'] = range.split(';', 2).map((part) => part.trim())
      return { tag, quality: /^q=(0|1|0\.\d{1,3}|1\.0{1,3})$/.test(quality) ? Number(quality.slice(2)) : 0 }
    })
    .filter(({ tag, quality }) => quality > 0 && languageTag.test(tag))
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
  return Intl.NumberFormat.supportedLocalesOf(tags)[0] ?? 'en'
}

/** Formats minor units of a currency, with the digits of its minor unit. */
export function amountFormat(locale: string, currency: string): (amount: number) => string {
  const digits = decimalAmount(0, currency).split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  // A decimal as text has no rounding errors.
  return (amount) => format.format(decimalAmount(amount, currency) as `${number}`)
}

/** Day and minute, and the name of the timezone, in English as the texts of the page. */
export function formatInstant(instant: Date, locale: string, timezone: string): { time: string; zone: string } {
  const language = locale.startsWith('en') ? locale : 'en-GB'
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: timezone, ...options })
  const parts = format({ timeZoneName: 'longGeneric' }).formatToParts(instant)
  return {
    time: format({ dateStyle: 'long', timeStyle: 'short' }).format(instant),
    zone: parts.find(({ type }) => type === 'timeZoneName')?.value ?? timezone,
  }
}
