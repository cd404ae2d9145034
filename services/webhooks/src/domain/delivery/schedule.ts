/**
 * The delays before each attempt, in milliseconds. Its length is the number of attempts. The first delay is 0: fan-out
 * gives a delivery to a worker as it stores it.
 */
export type Schedule = readonly number[]

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const attemptsMax = 50
const delayMsMax = 30 * 86_400_000

/** `0s,5s,30s,2m` → milliseconds. Undefined for any other text. */
export function parseSchedule(written: string): Schedule | undefined {
  const delays = written.split(',').map((part) => {
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(part.trim())
    const delayMs = Number(match?.[1]) * (unitMs[match?.[2] ?? ''] ?? Number.NaN)
    return delayMs <= delayMsMax ? delayMs : Number.NaN
  })
  return delays[0] !== 0 || delays.length > attemptsMax || delays.some(Number.isNaN) ? undefined : delays
}

/** Scheduled waits up to this duration use a retry queue. Longer waits, and most `Retry-After`, stay in the row. */
export const brokerDelayMsMax = 15 * 60_000

/**
 * ±20 % of jitter, so that deliveries that failed together do not return together. A retry queue has one time to live
 * for all its messages. So a delay that uses a retry queue has three jitter buckets, and the draw selects one.
 */
const jitterFactors = [0.8, 1, 1.2]

/** `draw` is uniform in [0, 1). */
export function addJitter(delayMs: number, draw: number): number {
  if (delayMs > brokerDelayMsMax) return Math.round(delayMs * (0.8 + 0.4 * draw))
  return Math.round(delayMs * (jitterFactors[Math.floor(draw * jitterFactors.length)] ?? 1))
}

/** Every delay that has a retry queue. */
export function bucketDelaysMs(schedule: Schedule): number[] {
  const short = schedule.filter((delayMs) => delayMs > 0 && delayMs <= brokerDelayMsMax)
  const all = short.flatMap((delayMs) => jitterFactors.map((factor) => Math.round(delayMs * factor)))
  return [...new Set(all)].filter((delayMs) => delayMs > 0 && delayMs <= brokerDelayMsMax).sort((a, b) => a - b)
}

/** 5000 → `5s`, 4200 → `4200ms`. */
export function writeDelay(delayMs: number): string {
  const units = Object.entries(unitMs).reverse()
  const [unit, size] = units.find(([, size]) => delayMs >= size && delayMs % size === 0) ?? ['ms', 1]
  return `${delayMs / size}${unit}`
}
