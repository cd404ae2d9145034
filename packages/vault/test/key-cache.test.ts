import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { keyCache } from '../src/key-cache.ts'

function setUp(lifeMs: number | undefined) {
  const clock = { now: 0 }
  const cache = keyCache<number>({ entriesMax: 2, lifeMs, now: () => clock.now })
  const state = { loads: 0, fails: false }
  const load = async () => {
    state.loads += 1
    await nextTick()
    if (state.fails) throw new Error('unavailable')
    return state.loads
  }
  return { clock, cache, state, get: (key = 'a') => cache.get(key, load) }
}

test('shares one load among concurrent callers, and loads again after a failure', async () => {
  const { state, get } = setUp(undefined)
  state.fails = true
  const failed = await Promise.allSettled([get(), get(), get()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(state.loads).toBe(1)
  state.fails = false
  expect(await Promise.all([get(), get()])).toEqual([2, 2])
})

test('has at most `entriesMax` entries', async () => {
  const { state, get } = setUp(undefined)
  for (const key of ['a', 'b', 'c', 'a']) await get(key)
  expect(state.loads).toBe(4)
})

test('without a limit of time, an entry is never loaded again', async () => {
  const { clock, get } = setUp(undefined)
  await get()
  clock.now = Number.MAX_SAFE_INTEGER
  expect(await get()).toBe(1)
})

test('in the second half of its life an entry is loaded once in the background', async () => {
  const { clock, state, get } = setUp(100)
  await get()
  clock.now = 50
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  await nextTick()
  await nextTick()
  expect(state.loads).toBe(2)
  expect(await get()).toBe(2)
  clock.now = 99
  expect(await get()).toBe(2)
})

test('a failed load in the background keeps the entry to the end of its life, not longer', async () => {
  const { clock, state, get } = setUp(100)
  await get()
  state.fails = true
  clock.now = 50
  await get()
  await nextTick()
  await nextTick()
  clock.now = 99
  expect(await get()).toBe(1)
  await nextTick()
  await nextTick()
  clock.now = 100
  await expect(get()).rejects.toThrow('unavailable')
})

test('after a failed load in the background, the next one begins 30 s later', async () => {
  const { clock, state, get } = setUp(3_600_000)
  const getAt = async (now: number) => {
    clock.now = now
    expect(await get()).toBe(1)
    await nextTick()
    await nextTick()
    return state.loads
  }
  await getAt(0)
  state.fails = true
  expect(await getAt(1_800_000)).toBe(2)
  for (const now of [1_800_001, 1_815_000, 1_829_999]) expect(await getAt(now)).toBe(2)
  expect(await getAt(1_830_000)).toBe(3)
  state.fails = false
  expect(await getAt(1_860_000)).toBe(4)
  expect(await get()).toBe(4)
})
