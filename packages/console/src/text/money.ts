import { countMinorUnitDigits } from '@payments/client/currencies'

const amountMax = 999_999_999_999

/** An amount in minor units, as people write it: `1,234.50 EUR`, `1,999 JPY`. */
export function formatMoney(amount: number, currency: string): string {
  return `${formatDecimal(amount, currency).replace(/\B(?=(\d{3})+(\.|$))(?<!\.\d*)/g, ',')} ${currency}`
}

/** An amount in minor units, as the pay page and messages to payers write it: `€1,234.50`. */
export function messageMoney(amount: number, currency: string, locale: string): string {
  const digits = countMinorUnitDigits(currency)
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat(messageFormats(locale), { style: 'currency', currency, ...fraction })
  return format.format(formatDecimal(amount, currency) as `${number}`)
}

/** Minute and time zone, as messages write them: `24 December 2026 at 17:30 (Central European Time)`, or `(UTC)`. */
export function messageInstant(instant: Date, locale: string, timeZone: string): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(messageFormats(locale), { timeZone, ...options })
  const parts = format({ timeZoneName: 'longGeneric' }).formatToParts(instant)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  const zone = timeZone === 'UTC' ? timeZone : name
  return `${format({ dateStyle: 'long', timeStyle: 'short' }).format(instant)} (${zone})`
}

/** The language tag in its canonical spelling, as the API stores it. Undefined for a text that is no tag. */
export function localeIn(written: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(written.trim().replaceAll('_', '-'))[0]
  } catch {
    // Half a tag, while it is being typed.
    return undefined
  }
}

/** How messages write numbers and dates: language, script and region. Portuguese without a region as in Portugal. */
export function messageFormats(locale: string): string {
  const { language, script, region } = new Intl.Locale(locale)
  const format = [language, script, region].filter((subtag) => subtag !== undefined).join('-')
  return format === 'pt' ? 'pt-PT' : format
}

/** As `formatMoney` without separators and currency, as a field takes it: `1234.50`. */
export function formatDecimal(amount: number, currency: string): string {
  const digits = countMinorUnitDigits(currency)
  const text = String(amount).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/**
 * The minor units of an amount as people write it: `1234.5`, `1234,5`, `1.234,50`, `1 234.50`. Undefined where the text
 * is no positive amount of the currency, can be read in two ways, as `1.234` of EUR, or exceeds the maximum.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const amount = minorUnitsIn(text, currency)
  return amount !== undefined && amount >= 1 && amount <= amountMax ? amount : undefined
}

/** Undefined where the text is no amount. Without bounds. */
function minorUnitsIn(text: string, currency: string): number | undefined {
  const digits = countMinorUnitDigits(currency)
  const [whole = '', fraction = ''] = splitDecimal(text, digits)
  if (!wholeForm.test(whole) || fraction.length > digits || !/^\d*$/.test(fraction)) return undefined
  return Number(whole.replaceAll(' ', '') + fraction.padEnd(digits, '0'))
}

/** Why a text is no amount, with what to write; undefined where it is one, and for an empty text. */
export function moneyError(text: string, currency: string): string | undefined {
  if (text.trim() === '' || parseMoney(text, currency) !== undefined) return undefined
  if ((minorUnitsIn(text, currency) ?? 0) > amountMax) return `must be at most ${formatMoney(amountMax, currency)}`
  const [, thousands, rest] = twoWays.exec(text.trim()) ?? []
  if (thousands === undefined || rest === undefined)
    return `must be an amount such as ${formatDecimal(1_999, currency)}`
  const digits = countMinorUnitDigits(currency)
  const grouped = formatDecimal(Number(thousands + rest) * 10 ** digits, currency)
  return `can be read in two ways: write ${grouped} or ${thousands}.${rest.slice(0, digits).padEnd(digits, '0')}`
}

/** Digits with or without a space between thousands. */
const wholeForm = /^(?:\d{1,100}|\d{1,3}(?: \d{3}){1,30})$/

/** One separator, of thousands or of decimals. */
const twoWays = /^([1-9]\d{0,2})[.,](\d{3})$/

/**
 * The whole part, in which a space separates thousands, and the fraction where there is a separator of decimals. Empty
 * where the text can be read in two ways, or ends with a separator.
 */
function splitDecimal(text: string, digits: number): readonly string[] {
  const written = text.trim().replaceAll(/[\s'’]/g, ' ')
  const mark = /[.,](?=[^.,]*$)/.exec(written)
  if (mark === null) return [written]
  const other = mark[0] === '.' ? ',' : '.'
  const [before, after] = [written.slice(0, mark.index), written.slice(mark.index + 1)]
  // In a currency without decimals, each separator is one of thousands.
  const isGroup = before.includes(mark[0]) || (digits === 0 && twoWays.test(written))
  if (isGroup) return [written.replaceAll(mark[0], ' ')]
  // A field of the console shows three decimals after a point.
  const isOwnForm = digits === 3 && mark[0] === '.'
  if (after === '' || (twoWays.test(written) && !isOwnForm)) return []
  return [before.replaceAll(other, ' '), after]
}
