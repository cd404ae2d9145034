const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** The delays before the attempts: 30 attempts over about 27 hours. */
const delaysMs = [0, 10 * second, minute, 5 * minute, 30 * minute, 2 * hour, ...Array<number>(24).fill(hour)]

/** Whether the schedule has fewer attempts. */
export function isBeyondSchedule(attemptCount: number): boolean {
  return attemptCount > delaysMs.length
}

/** When the attempt after `attemptCount` attempts begins, or null after the last. */
export function nextAttemptAt(attemptCount: number, now: Date): Date | null {
  const delayMs = delaysMs[attemptCount]
  return delayMs === undefined ? null : new Date(now.getTime() + delayMs)
}
