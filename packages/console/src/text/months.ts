/** Months in UTC, as the API names them: `2026-11`. */

/** The month of an instant and those before it, the newest first. */
export function monthsBack(now: Date, count: number): string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return Array.from({ length: count }, (_, back) => new Date(Date.UTC(year, month - back)).toISOString().slice(0, 7))
}

/** `November 2026`. */
export const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
