const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const delaysMs = [second, 10 * second, minute, 5 * minute, 30 * minute]
/** About a day. */
const attemptsMax = delaysMs.length + 24

/** When a mail is attempted again after `attemptCount` attempts, or null after the last. */
export function nextMailAt(attemptCount: number, now: Date): Date | null {
  if (attemptCount >= attemptsMax) return null
  return new Date(now.getTime() + (delaysMs[attemptCount - 1] ?? hour))
}
