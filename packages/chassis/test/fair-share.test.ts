import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Release } from '../src/base/fair-permits.ts'
import { createPermits, fewerThanFree } from '../src/base/fair-permits.ts'

const share = (permitsMax: number) => createPermits({ permitsMax, perSubjectMax: fewerThanFree })

function acquireAll(permits: ReturnType<typeof share>, tenant: string): Release[] {
  const acquired: Release[] = []
  for (let next = permits.tryAcquire(tenant); next !== undefined; next = permits.tryAcquire(tenant)) acquired.push(next)
  return acquired
}

test('one tenant has at most half of the permits, and each further tenant half of the rest', () => {
  const permits = share(16)
  const acquired = ['a', 'b', 'c', 'd'].map((tenant) => acquireAll(permits, tenant))
  expect([...permits.held()]).toEqual([...Object.entries({ a: 8, b: 4, c: 2, d: 1 })])
  expect(['e', 'f'].map((tenant) => permits.tryAcquire(tenant) !== undefined)).toEqual([true, false])
  acquired[0]?.[0]?.()
  expect(['a', 'f'].map((tenant) => permits.tryAcquire(tenant) !== undefined)).toEqual([false, true])
})

test('tenants that acquire in turn get the same number, and leave as many for the next tenant', () => {
  const permits = share(64)
  for (let i = 0; i < 64; i += 1) for (const tenant of ['a', 'b', 'c']) permits.tryAcquire(tenant)
  expect([...permits.held()]).toEqual([...Object.entries({ a: 16, b: 16, c: 16 })])
  expect(acquireAll(permits, 'd')).toHaveLength(8)
})

test('gives never more permits than it has, and one exactly while the tenant holds fewer than are free', () => {
  const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', 'd', 'e'), isAcquire: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (permitsMax, steps) => {
      const permits = share(permitsMax)
      const held: { tenant: string; release: Release }[] = []
      for (const { tenant, isAcquire } of steps) {
        const own = held.filter((one) => one.tenant === tenant)
        if (isAcquire) {
          const release = permits.tryAcquire(tenant)
          expect(release !== undefined).toBe(own.length < permitsMax - held.length)
          if (release !== undefined) held.push({ tenant, release })
        } else if (own[0] !== undefined) {
          own[0].release()
          held.splice(held.indexOf(own[0]), 1)
        }
        expect(permits.counts().inProgress).toBe(held.length)
      }
      for (const { release } of held) release()
      expect(permits.held().size).toBe(0)
      expect(acquireAll(permits, 'new')).toHaveLength(Math.ceil(permitsMax / 2))
    }),
  )
})
