import { describe, expect, test } from '@jest/globals'
import type { AttemptOutcome } from '../src/domain/attempt/outcome.ts'
import {
  type BreakerCount,
  type BreakerRules,
  countAttempt,
  nothingCounted,
  trips,
} from '../src/domain/subscription/breaker.ts'

const rules: BreakerRules = {
  failedPercentMin: 50,
  attemptsMin: 10,
  windowMs: 60_000,
  connectErrorsMax: 5,
  probeAfterMs: 30_000,
}

type Kind = AttemptOutcome['errorKind']

/** One attempt every `everyMs`. Returns the index of the first that trips the breaker. */
function tripsAt(kinds: readonly Kind[], everyMs = 100): number {
  let count: BreakerCount = nothingCounted
  return kinds.findIndex((kind, index) => {
    count = countAttempt(count, kind, 1_000_000 + index * everyMs, rules)
    return trips(count, rules)
  })
}

const times = (count: number, ...kinds: Kind[]): Kind[] => Array.from({ length: count }, () => kinds).flat()

describe('breaker', () => {
  test('trips when half of at least ten attempts fail', () => {
    expect(tripsAt(times(9, 'status'))).toBe(-1)
    expect(tripsAt(times(10, 'status'))).toBe(9)
    expect(tripsAt(times(10, null, 'timeout'))).toBe(9)
  })

  test('does not trip while more succeed than fail', () => {
    expect(tripsAt(times(1_000, null, null, 'status'))).toBe(-1)
    expect(tripsAt([...times(100, null), ...times(99, 'status')])).toBe(-1)
    expect(tripsAt([...times(100, null), ...times(100, 'status')])).toBe(199)
  })

  test('ignores attempts older than the window', () => {
    expect(tripsAt(times(100, 'status'), 10_000)).toBe(-1)
    expect(tripsAt([...times(100, null), ...times(300, 'status')], 1_000)).toBeLessThan(160)
  })

  test('trips after five consecutive connection errors, and not after a connection in between', () => {
    expect(tripsAt(times(1, 'connect', 'dns', 'tls', 'connect', 'connect'))).toBe(4)
    expect(tripsAt(times(1, 'connect', 'connect', 'connect', 'connect', 'status', 'connect'))).toBe(-1)
    expect(tripsAt(times(5, 'connect'), 3_600_000)).toBe(4)
  })

  test('stores a bounded number of buckets', () => {
    let count: BreakerCount = nothingCounted
    for (let index = 0; index < 10_000; index += 1) count = countAttempt(count, null, 5_000 * index, rules)
    expect(count.buckets.length).toBeLessThanOrEqual(7)
  })
})
