const minuteMs = 60_000

/** An instant of the API as the value of a `datetime-local` field, in the zone of the reader. */
export function localTimeOf(instant: string | null): string {
  if (instant === null) return ''
  const at = new Date(instant)
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}

/** The instant of a `datetime-local` field. Null where the field is empty. */
export const instantOf = (localTime: string): string | null =>
  localTime === '' ? null : new Date(localTime).toISOString()
