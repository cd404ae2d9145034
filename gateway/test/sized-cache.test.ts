import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { bytesOfTexts, createSizedCache } from '../src/authorization/sized-cache.ts'
import { createTokenCache } from '../src/authorization/token-cache.ts'

interface Entry {
  readonly tenant: string
  readonly bytes: number
}

describe('a sized cache', () => {
  const create = (bytesMax: number, entriesMax = 100) =>
    createSizedCache<Entry>({ entriesMax, bytesMax, bytesOf: ({ bytes }) => bytes, tenantOf: ({ tenant }) => tenant })

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

test('tokens with many long names of roles do not grow the heap beyond the bytes of their cache', async () => {
  const names = () => Array.from({ length: 50 }, () => randomUUID().repeat(5))
  const verify = async (token: string) => ({
    tenantId: token.slice(0, 36),
    subject: 'alice',
    roleNames: names(),
    expiresAtMs: Date.now() + 3_600_000,
  })
  const tokens = createTokenCache({ verify }, { tokensMax: 20_000 })
  const tenantId = randomUUID()
  const before = heapBytes()
  for (let i = 0; i < 3_000; i += 1) await tokens.verify(`${tenantId}.${i}`)
  // A quarter of 16 MiB; 3 000 tokens have 27 MB.
  expect(heapBytes() - before).toBeLessThan(8 * 1024 * 1024)
  expect(bytesOfTexts(...names()) * 3_000).toBeGreaterThan(24 * 1024 * 1024)
})

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
