import { expect, test } from '@jest/globals'
import { nextMailAt } from '../src/domain/mail-schedule.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const now = new Date()
const before = (ms: number) => new Date(now.getTime() - ms)
const delayMs = (unsent: Parameters<typeof nextMailAt>[0]) => {
  const next = nextMailAt(unsent, now)
  return next === null ? null : next.getTime() - now.getTime()
}

test('while a service is unavailable, the pauses grow to an hour, for a day', () => {
  const decidedAt = before(hour)
  expect([1, 4, 6, 40].map((attemptCount) => delayMs({ attemptCount, decidedAt, rateWaitMs: null }))).toEqual([
    ...[second, 5 * minute, hour, hour],
  ])
  expect(delayMs({ attemptCount: 6, decidedAt: before(24 * hour), rateWaitMs: null })).toBeNull()
})

test('a mail that waits for a rate is attempted every minute, or when the rate admits it, without an end', () => {
  const decidedAt = before(48 * hour)
  expect(delayMs({ attemptCount: 1, decidedAt, rateWaitMs: second })).toBe(second)
  expect(delayMs({ attemptCount: 90, decidedAt, rateWaitMs: second })).toBe(minute)
  expect(delayMs({ attemptCount: 90, decidedAt, rateWaitMs: 20 * minute })).toBe(20 * minute)
})
