import { decimalAmount } from '@payments/contracts/grammar/currency'
import { toFormatLocale } from '@payments/contracts/nouns/locale'

/** Formats minor units of a currency, with the digits of its minor unit. */
export function amountFormat(locale: string, currency: string): (amount: number) => string {
  const digits = decimalAmount(0, currency).split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat(toFormatLocale(locale), {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  // A decimal as text has no rounding errors.
  return (amount) => format.format(decimalAmount(amount, currency) as `${number}`)
}

/** Day and minute, and the name of the time zone. UTC is its own name: the one of Intl is `GMT+00:00`. */
export function formatInstant(instant: Date, locale: string, timeZone: string): { time: string; zone: string } {
  const language = toFormatLocale(locale)
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, { timeZone, ...options })
  const parts = format({ timeZoneName: 'longGeneric' }).formatToParts(instant)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  const zone = timeZone === 'UTC' ? timeZone : name
  return { time: format({ dateStyle: 'long', timeStyle: 'short' }).format(instant), zone }
}

/** Minute, and the short name of the time zone. */
export function formatTime(instant: Date, locale: string, timeZone: string): string {
  const options = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone } as const
  return new Intl.DateTimeFormat(toFormatLocale(locale), options).format(instant)
}

export function formatDay(instant: Date, locale: string, timeZone: string): string {
  return new Intl.DateTimeFormat(toFormatLocale(locale), { dateStyle: 'long', timeZone }).format(instant)
}

/** Longer than each name of the IANA database. */
const timeZoneLengthMax = 64

/** The IANA name of a time zone. Null for anything else, an offset included. */
export function parseTimeZone(written: string | undefined): string | null {
  if (written === undefined || written.length > timeZoneLengthMax || !/^[A-Za-z]/.test(written)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
