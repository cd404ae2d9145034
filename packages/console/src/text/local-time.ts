/** Instants of the API in the form of `<input type="datetime-local">`, in the zone of the browser. */
export function localOf(instant: string | null | undefined): string {
  const date = new Date(instant ?? Number.NaN)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The instant of such an input; the empty text where the input is empty. */
export const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString())
