const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const delaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
/** About a day. */
const attemptsMax = delaysMs.length + 24

/**
 * When a mail is attempted again after `attemptCount` attempts, or null after the last. `rateWaitMs`: when the rate
 * that rejected it admits one; null: no rate did. A mail waits for a rate as long as its invitation is open.
 */
export function nextMailAt(attemptCount: number, rateWaitMs: number | null, now: Date): Date | null {
  const delayMs = delaysMs[attemptCount - 1] ?? hour
  if (rateWaitMs !== null) return new Date(now.getTime() + Math.min(delayMs, Math.max(minute, rateWaitMs)))
  return attemptCount >= attemptsMax ? null : new Date(now.getTime() + delayMs)
}
