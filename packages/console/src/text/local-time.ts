/** An instant of the API as a `datetime-local` field has it: in the zone of the reader, to the minute. */
export function toLocalTime(instant: string | null | undefined): string {
  const date = new Date(instant ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The reverse, of a time that occurs twice at the end of summer time the first one. Empty for an incomplete field. */
export function toInstant(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** As `toInstant`. Null for an empty field; another text that is no time stays empty, which the API rejects. */
export const toInstantOrNull = (local: string): string | null => (local === '' ? null : toInstant(local))

const hourMs = 3_600_000

/** As `toInstant`, for the end of a range: of a time that occurs twice the last one. */
export function toEndInstant(local: string): string {
  const first = toInstant(local)
  const later = first === '' ? '' : new Date(new Date(first).getTime() + hourMs).toISOString()
  return toLocalTime(later) === toLocalTime(first) ? later : first
}
