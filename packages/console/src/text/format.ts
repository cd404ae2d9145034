/** Numbers, amounts and words in the language of the interface, which is English. */
const locale = 'en-GB'

const count = (value: number): string => value.toLocaleString(locale)

/** `2 keys`, `1 key`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `3 minutes ago`, `in 2 days`; within a minute `now`. */
export function relative(instant: Date, now: Date): string {
  const seconds = (instant.getTime() - now.getTime()) / 1_000
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  }
  return 'now'
}

/** Date and time to the second, with the zone of the reader. */
export const absolute = (instant: Date): string =>
  instant.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'long' })

/** The time of day to the second, in the zone of the reader: `12:41:09`. */
export const clock = (instant: Date): string => instant.toLocaleTimeString(locale)

/** An instant of the API as a `datetime-local` field has it: in the zone of the reader, to the minute. */
export function localOf(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The reverse. Empty for an incomplete field. */
export function instantOf(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
