/** One bar of the console, measured. */
export interface Figure {
  /** Number of the bar in docs/console.md. */
  readonly bar: number
  readonly what: string
  readonly value: string
  readonly limit: string
  readonly isMet: boolean
}

/** A figure that must not be greater than its limit. */
export const atMost = (bar: number, what: string, value: number, limit: number, unit: string): Figure => ({
  bar,
  what,
  value: `${value} ${unit}`,
  limit: `≤ ${limit} ${unit}`,
  isMet: value <= limit,
})
