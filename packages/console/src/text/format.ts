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
