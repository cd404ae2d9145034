import { expect, test } from '@jest/globals'
import { createPace } from '../src/base/rates.ts'

test('a pace makes a burst due at once, and spaces further uses of its subject alone', () => {
  let now = 1_000
  const pace = createPace({ perSecond: 2, burst: 3 }, () => now)
  expect([1, 2, 3, 4, 5].map(() => pace('a'))).toEqual([0, 0, 0, 500, 1_000])
  expect(pace('b')).toBe(0)
  now += 10_000
  expect(pace('a')).toBe(0)
})
