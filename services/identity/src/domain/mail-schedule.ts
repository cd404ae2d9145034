const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const delaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
const durationMs = 24 * hour

interface Unsent {
  readonly attemptCount: number
  readonly decidedAt: Date
  /** When the rate that rejected the mail admits one; null: no rate did. */
  readonly rateWaitMs: number | null
}

/**
 * When a mail is attempted again, or null a day after it was decided. A mail waits for a rate as long as its invitation
 * is open.
 */
export function nextMailAt({ attemptCount, decidedAt, rateWaitMs }: Unsent, now: Date): Date | null {
  const delayMs = delaysMs[attemptCount - 1] ?? hour
  if (rateWaitMs !== null) return new Date(now.getTime() + Math.min(delayMs, Math.max(minute, rateWaitMs)))
  return now.getTime() - decidedAt.getTime() >= durationMs ? null : new Date(now.getTime() + delayMs)
}
