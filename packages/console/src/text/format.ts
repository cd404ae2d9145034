/** Numbers, amounts and words in the language of the interface, which is English. */
const locale = 'en-GB'

/** `1,204`. */
export const formatCount = (value: number): string => value.toLocaleString(locale)

/** `2 keys`, `1 key`. */
export const formatQuantity = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : plural}`

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/**
 * `3 minutes ago`, `in 1 day`; within a minute `now`. A time to come is rounded: a week less a second is 7 days. The
 * words `tomorrow` and `last month` would name days and months of the calendar.
 */
export function relative(instant: Date, now: Date): string {
  const seconds = (instant.getTime() - now.getTime()) / 1_000
  const format = new Intl.RelativeTimeFormat(locale)
  for (const [unit, size] of units) {
    const value = seconds / size
    if (Math.abs(value) >= 1) return format.format(value > 0 ? Math.round(value) : Math.trunc(value), unit)
  }
  return 'now'
}

/** A duration in its largest whole unit, rounded up: `40 seconds`, `3 minutes`. */
export function formatDuration(seconds: number): string {
  for (const [unit, size] of units) {
    if (seconds >= 2 * size) return formatQuantity(Math.ceil(seconds / size), unit)
  }
  return formatQuantity(Math.max(1, Math.ceil(seconds)), 'second')
}

/** Date and time to the second, with the zone of the reader. */
export const absolute = (instant: Date): string =>
  instant.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'long' })

/** The hour of an instant: `26 Nov, 14:00`. */
export const formatHour = (instant: Date): string =>
  instant.toLocaleString(locale, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/** Of counts by hour and status: `packages/contracts/src/endpoints/hourly-counts.ts`. */
export const latenessOfHours = 'Counts are some minutes late, and the statuses of past hours are counted less often.'

/** The time of day to the second, in the zone of the reader: `12:41:09`. */
export const clock = (instant: Date): string => instant.toLocaleTimeString(locale)

/** Date and time to the second, to compare with logs. */
export const toSecond = (instant: Date): string =>
  instant.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** Date and time to the minute, where space is short. */
export const toMinute = (instant: Date): string =>
  instant.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })

/**
 * Text that the platform did not write: names, labels, payloads, responses of receivers. Characters that cannot be seen
 * or that change the order of others (control, bidirectional and zero-width characters) become escapes, so that the
 * reader sees the text that is stored. A joiner stays where its effect is seen: between two emoji, and after a letter
 * of a script whose letters join (Persian, Hindi).
 */
const hidden =
  /(?![\n\t])(?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\u{fe0f}]?)\u{200d}\p{Extended_Pictographic})(?!(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}])[\p{L}\p{M}])[\u{200c}\u{200d}][\p{L}\p{M}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function foreign(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`)
}

/** Host and port of a URL as an auth info has them: without the port 443. Undefined where the text is no URL. */
export function readHost(url: string): string | undefined {
  const { protocol, hostname, port } = URL.parse(url) ?? {}
  if (hostname === undefined || protocol === undefined) return undefined
  if (protocol === 'https:') return port ? `${hostname}:${port}` : hostname
  return `${hostname}:${port || '80'}`
}

/** The value of a name that comes from elsewhere: an address, or a variable of a template. Undefined for none. */
export const ownValue = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Months in UTC, as the API names them: `2026-11`. */

/** The month of an instant and those before it, the newest first. */
export function monthsBack(now: Date, count: number): string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return Array.from({ length: count }, (_, back) => new Date(Date.UTC(year, month - back)).toISOString().slice(0, 7))
}

/** `November 2026`. */
export const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The more specific name first: Edge also names Chrome, and Chrome also names Safari. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Windows: 'Windows',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  'Mac OS X': 'macOS',
  Linux: 'Linux',
}

/** `Chrome on Linux`, of the User-Agent of a browser; the User-Agent of another program as it is. */
export function nameProgram(userAgent: string): string {
  const nameIn = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}

const instants = /\b\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z\b/g

/** A reason of the API, with its instants in the zone of the reader. */
export const readable = (reason: string): string =>
  foreign(reason).replace(instants, (instant) => absolute(new Date(instant)))

/** The text of a field without spaces around it. Null for an empty one. */
export const textOrNull = (text: string): string | null => text.trim() || null

/** The words of a field with one a line, or separated by commas. */
export const splitWords = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
