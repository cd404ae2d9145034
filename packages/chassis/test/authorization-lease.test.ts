import { expect, test } from '@jest/globals'
import { leaseMs, outwaitLeases } from '../src/database/authorization-lease.ts'

/** A timer whose sleeps end `earlyMs` early, and that counts them. */
function timer(earlyMs = 0) {
  const slept: number[] = []
  let now = 1_000
  const sleep = async (ms: number) => {
    slept.push(ms)
    now += Math.max(ms - earlyMs, 0.1)
  }
  return { now: () => now, sleep, slept, passedMs: () => now - 1_000 }
}

test('outwaits a lease on two clocks that are each 1 % off', async () => {
  const own = timer()
  await outwaitLeases(own)
  expect(own.slept).toHaveLength(1)
  expect(own.passedMs()).toBeGreaterThanOrEqual(leaseMs * 1.02)
  expect(own.passedMs()).toBeLessThan(leaseMs + 5)
})

test('sleeps again when the timer fires early', async () => {
  const own = timer(0.7)
  await outwaitLeases(own)
  expect(own.slept.length).toBeGreaterThan(1)
  expect(own.passedMs()).toBeGreaterThanOrEqual(leaseMs * 1.02)
})
