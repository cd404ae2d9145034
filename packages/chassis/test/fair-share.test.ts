import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createFairShare } from '../src/base/fair-share.ts'

const takeAll = (share: ReturnType<typeof createFairShare>, tenant: string) => {
  let count = 0
  while (share.take(tenant)) count += 1
  return count
}

test('one tenant has at most half of the permits, and each further tenant half of the rest', () => {
  const share = createFairShare(16)
  expect(share.free('a')).toBe(8)
  expect(['a', 'b', 'c', 'd'].map((tenant) => takeAll(share, tenant))).toEqual([8, 4, 2, 1])
  expect([share.take('e'), share.take('f')]).toEqual([true, false])
  share.release('a')
  expect([share.take('a'), share.take('f')]).toEqual([false, true])
})

test('tenants that take in turn get the same number, and leave as many for the next tenant', () => {
  const share = createFairShare(64)
  const counts = { a: 0, b: 0, c: 0 }
  for (let i = 0; i < 64; i += 1) {
    for (const tenant of ['a', 'b', 'c'] as const) counts[tenant] += share.take(tenant) ? 1 : 0
  }
  expect(counts).toEqual({ a: 16, b: 16, c: 16 })
  expect(share.free('d')).toBe(8)
})

test('takes never more than the capacity, and as often as `free` says', () => {
  const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', 'd', 'e'), isTake: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
      const share = createFairShare(capacity)
      const taken: string[] = []
      for (const { tenant, isTake } of steps) {
        const expected = share.free(tenant)
        if (isTake && share.take(tenant)) {
          taken.push(tenant)
          expect(share.free(tenant)).toBe(expected - 1)
        } else if (taken.includes(tenant) && !isTake) {
          taken.splice(taken.indexOf(tenant), 1)
          share.release(tenant)
        }
        expect(taken.length).toBeLessThanOrEqual(capacity)
      }
      for (const tenant of taken) share.release(tenant)
      expect(share.free('new')).toBe(Math.ceil(capacity / 2))
    }),
  )
})
