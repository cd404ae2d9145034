const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const sendDelaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
const sendDurationMs = 24 * hour

/** A message to be attempted again. `rateWaitMs`: when the rate that rejected it admits one; null: no rate did. */
interface Unsent {
  readonly attemptCount: number
  readonly decidedAt: Date
  readonly rateWaitMs: number | null
}

/**
 * When a message is attempted again, or null a day after it was decided. One that waits for a rate is attempted every
 * minute or so, at random times, so that many of them use the whole rate.
 */
export function nextSendAt({ attemptCount, decidedAt, rateWaitMs }: Unsent, now: Date): Date | null {
  if (now.getTime() - decidedAt.getTime() >= sendDurationMs) return null
  const delayMs = sendDelaysMs[attemptCount - 1] ?? hour
  if (rateWaitMs === null) return new Date(now.getTime() + delayMs)
  const meanMs = Math.min(delayMs, Math.max(minute, rateWaitMs))
  return new Date(now.getTime() + meanMs * (0.5 + Math.random()))
}

/** From the claim of a code to the first read of its transaction. A payment starts within 10 s, or never. */
export const firstRecoveryMs = 30 * second

const recoveryDelaysMs = [10 * second, 30 * second, 2 * minute, 10 * minute]

/** From one read of the transaction to the next, after `recoverCount` reads. */
export const recoveryDelayMs = (recoverCount: number): number => recoveryDelaysMs[recoverCount] ?? hour
