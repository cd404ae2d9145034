const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const sendDelaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
const sendDurationMs = 24 * hour

/** When a message is attempted again after `attemptCount` attempts, or null a day after it was decided. */
export function nextSendAt(attemptCount: number, decidedAt: Date, now: Date): Date | null {
  if (now.getTime() - decidedAt.getTime() >= sendDurationMs) return null
  return new Date(now.getTime() + (sendDelaysMs[attemptCount - 1] ?? hour))
}

/** From the claim of a code to the first read of its transaction. A payment starts within 10 s, or never. */
export const firstRecoveryMs = 30 * second

const recoveryDelaysMs = [10 * second, 30 * second, 2 * minute, 10 * minute]

/** From one read of the transaction to the next, after `recoverCount` reads. */
export const recoveryDelayMs = (recoverCount: number): number => recoveryDelaysMs[recoverCount] ?? hour
