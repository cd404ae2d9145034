import { describe, expect, test } from '@jest/globals'
import { createSizedCache } from '../src/base/sized-cache.ts'

interface Entry {
  readonly tenant: string
  readonly bytes: number
}

describe('a sized cache', () => {
  const create = (bytesMax: number, entriesMax = 100) =>
    createSizedCache<Entry>({
      entriesMax,
      bytesMax,
      measureBytes: ({ bytes }) => bytes,
      readTenantId: ({ tenant }) => tenant,
    })

  test('evicts the least recently used entries beyond its bytes', () => {
    const cache = create(100)
    for (const name of ['a', 'b', 'c', 'd', 'e']) cache.set(name, { tenant: name, bytes: 25 })
    expect(['a', 'b', 'e'].map((name) => cache.get(name) !== undefined)).toEqual([false, true, true])
    expect(cache.bytes()).toBe(100)
  })

  test('keeps the entries of another tenant while one has more than its quarter', () => {
    const cache = create(100)
    cache.set('other', { tenant: 'quiet', bytes: 20 })
    for (let i = 0; i < 1_000; i += 1) cache.set(`${i}`, { tenant: 'loud', bytes: 5 })
    expect(cache.get('other')).toBeDefined()
    expect(cache.bytes()).toBeLessThanOrEqual(20 + 25)
    expect(cache.get('999')).toBeDefined()
  })

  test('counts a replaced entry once, and nothing after clear', () => {
    const cache = create(100)
    for (let i = 0; i < 50; i += 1) cache.set('one', { tenant: 'a', bytes: 20 })
    cache.set('two', { tenant: 'a', bytes: 5 })
    expect([cache.get('one') !== undefined, cache.get('two') !== undefined, cache.bytes()]).toEqual([true, true, 25])
    cache.clear()
    cache.set('three', { tenant: 'a', bytes: 25 })
    expect([cache.get('three') !== undefined, cache.bytes()]).toEqual([true, 25])
  })

  test('does not keep an entry larger than the share of its tenant', () => {
    const cache = create(100)
    cache.set('one', { tenant: 'a', bytes: 20 })
    cache.set('one', { tenant: 'a', bytes: 26 })
    expect([cache.get('one'), cache.bytes()]).toEqual([undefined, 0])
  })
})
