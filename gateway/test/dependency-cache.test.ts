import { describe, expect, test } from '@jest/globals'
import { createDependencyCache } from '../src/authorization/dependency-cache.ts'

describe('a dependency cache', () => {
  const create = (entriesMax: number) =>
    createDependencyCache<{ needs: readonly string[] }>({
      entriesMax,
      bytesMax: 1_000,
      measureBytes: () => 1,
      readTenantId: () => 'tenant',
      listDependencies: ({ needs }) => needs,
    })

  test('invalidates an entry by each of its dependencies, and no other entry', () => {
    const cache = create(10)
    cache.set('one', { needs: ['a', 'b'] })
    cache.set('two', { needs: ['b', 'c'] })
    cache.invalidate('a')
    expect([cache.get('one'), cache.get('two')]).toEqual([undefined, { needs: ['b', 'c'] }])
    cache.set('one', { needs: ['a'] })
    cache.invalidate('b')
    expect([cache.get('one'), cache.get('two')]).toEqual([{ needs: ['a'] }, undefined])
  })

  test('invalidates all entries that depend on an id, and none that no longer do', () => {
    const cache = create(10)
    for (const key of ['one', 'two', 'three', 'four']) cache.set(key, { needs: ['a', key] })
    cache.set('two', { needs: ['two'] })
    cache.invalidate('three')
    cache.invalidate('a')
    expect(['one', 'two', 'three', 'four'].map((key) => cache.get(key) !== undefined)).toEqual([
      false,
      true,
      false,
      false,
    ])
    cache.set('five', { needs: ['a'] })
    cache.invalidate('a')
    expect(cache.get('five')).toBeUndefined()
  })

  test('tracks the dependencies of a replaced value', () => {
    const cache = create(10)
    cache.set('one', { needs: ['a'] })
    cache.set('one', { needs: ['b'] })
    cache.invalidate('a')
    expect(cache.get('one')).toEqual({ needs: ['b'] })
    cache.invalidate('b')
    expect(cache.get('one')).toBeUndefined()
  })

  test('evicts the least recently used entry at its limit', () => {
    const cache = create(2)
    cache.set('one', { needs: ['a'] })
    cache.set('two', { needs: ['a'] })
    cache.get('one')
    cache.set('three', { needs: ['a'] })
    expect([cache.get('one') === undefined, cache.get('two') === undefined]).toEqual([false, true])
    cache.invalidate('a')
    expect([cache.get('one'), cache.get('three')]).toEqual([undefined, undefined])
  })
})
