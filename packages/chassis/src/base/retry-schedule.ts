const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const delaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
const durationMs = 24 * hour

interface Unsent {
  /** The attempts until now. */
  readonly attemptCount: number
  readonly decidedAt: Date
  /** When the rate that rejected the message admits one; null: no rate did. */
  readonly rateWaitMs: number | null
}

/**
 * When a message that another service has not taken is attempted again: after 1 s, 10 s, 1 min, 5 min, 30 min, then
 * hourly. Null a day after it was decided. A message that waits for a rate is attempted every minute or so, at random
 * times, so that many of them use the whole rate.
 */
export function nextAttemptAt({ attemptCount, decidedAt, rateWaitMs }: Unsent, now: Date): Date | null {
  if (now.getTime() - decidedAt.getTime() >= durationMs) return null
  const delayMs = delaysMs[attemptCount - 1] ?? hour
  if (rateWaitMs === null) return new Date(now.getTime() + delayMs)
  const meanMs = Math.min(delayMs, Math.max(minute, rateWaitMs))
  return new Date(now.getTime() + meanMs * (0.5 + Math.random()))
}
