const waitMsMax = 24 * 3_600_000
/** The longest form of a date has 33. */
const charactersMax = 100
const statuses: ReadonlySet<number> = new Set([429, 503])

/**
 * The wait that a receiver requests with `Retry-After` (RFC 9110 §10.2.3): seconds or an HTTP date, in responses 429
 * and 503, at most 24 hours. Null without a valid header.
 */
export function retryAfterMs(status: number, header: string | undefined, nowMs: number): number | null {
  if (header === undefined || header.length > charactersMax || !statuses.has(status)) return null
  const written = header.trim()
  const waitMs = /^\d+$/.test(written) ? Number(written) * 1_000 : dateMs(written) - nowMs
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), waitMsMax)
}

/** All three forms of an HTTP date begin with the day of the week. `Date` accepts more, which is not valid here. */
function dateMs(written: string): number {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(written) ? Date.parse(written) : Number.NaN
}
