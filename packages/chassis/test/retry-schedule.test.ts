import { expect, test } from '@jest/globals'
import { nextAttemptAt } from '../src/base/retry-schedule.ts'

const now = new Date()
const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const delayMs = (attemptCount: number, rateWaitMs: number | null) =>
  (nextAttemptAt({ attemptCount, decidedAt: now, rateWaitMs }, now)?.getTime() ?? Number.NaN) - now.getTime()

test('while a service is unavailable, the pauses grow to an hour', () => {
  expect([1, 4, 6, 20].map((count) => delayMs(count, null))).toEqual([second, 5 * minute, hour, hour])
})

test('a message that waits for a rate is attempted every minute or so, at random times', () => {
  const delays = Array.from({ length: 100 }, () => delayMs(6, second))
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(minute / 2)
  expect(Math.max(...delays)).toBeLessThanOrEqual(1.5 * minute)
  expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(minute / 2)
  expect(delayMs(1, second)).toBeLessThanOrEqual(1.5 * second)
})

test('it is attempted no more often than its rate admits one', () => {
  expect(delayMs(6, 20 * minute)).toBeGreaterThanOrEqual(10 * minute)
})

test('a day after it was decided, it is attempted no more', () => {
  const decidedAt = new Date(now.getTime() - 24 * hour)
  expect([null, second].map((rateWaitMs) => nextAttemptAt({ attemptCount: 3, decidedAt, rateWaitMs }, now))).toEqual([
    null,
    null,
  ])
})
