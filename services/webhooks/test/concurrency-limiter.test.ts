import { describe, expect, test } from '@jest/globals'
import { ConcurrencyLimiter } from '../src/dispatch/concurrency-limiter.ts'

const inTime = async <T>(given: Promise<T | undefined>): Promise<T> => {
  const got = await given
  if (got === undefined) throw new Error('no permit')
  return got
}

describe('permits', () => {
  test('grants a name at most its permits, however many callers arrive at once', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 3,
      inFlightMax: () => 1_000,
      expectedWaitMsMax: 10_000,
      waitMsMax: 10_000,
    })
    let inFlight = 0
    let most = 0
    const work = async () => {
      const permit = await inTime(permits.acquire('a'))
      inFlight += 1
      most = Math.max(most, inFlight)
      await new Promise((resolve) => setImmediate(resolve))
      inFlight -= 1
      permits.release('a', permit)
    }
    await Promise.all(Array.from({ length: 200 }, work))
    expect(most).toBe(3)
  })

  test('grants a free permit to the caller that waited longest, before a new one', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 1,
      inFlightMax: () => 10,
      expectedWaitMsMax: 10_000,
      waitMsMax: 10_000,
    })
    const order: string[] = []
    const first = await inTime(permits.acquire('a'))
    const second = inTime(permits.acquire('a')).then((permit) => (order.push('second'), permit))
    const third = inTime(permits.acquire('a')).then((permit) => (order.push('third'), permit))
    permits.release('a', first)
    const late = permits.acquire('a').then(() => order.push('late'))
    permits.release('a', await second)
    permits.release('a', await third)
    await late
    expect(order).toEqual(['second', 'third', 'late'])
  })

  test('grants no permit after the maximum wait, and holds none', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 1,
      inFlightMax: () => 10,
      expectedWaitMsMax: 20,
      waitMsMax: 20,
    })
    const first = await inTime(permits.acquire('a'))
    expect(await permits.acquire('a')).toBeUndefined()
    permits.release('a', first)
    expect(await permits.acquire('a')).toBeDefined()
  })

  test('keeps a fifth of a name for light callers, in permits, starts and capacity', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 5,
      inFlightMax: () => 10,
      expectedWaitMsMax: 0,
      waitMsMax: 10_000,
    })
    expect([permits.capacity('a', false), permits.capacity('a')]).toEqual([8, 10])
    permits.start('a', 4)
    expect([permits.canStart('a', false), permits.canStart('a')]).toEqual([false, true])
    const held = await Promise.all(Array.from({ length: 4 }, () => inTime(permits.acquire('a', false))))
    const order: string[] = []
    const heavy = inTime(permits.acquire('a', false)).then(() => order.push('heavy'))
    const light = await inTime(permits.acquire('a'))
    const secondLight = inTime(permits.acquire('a')).then(() => order.push('light'))
    permits.release('a', light)
    await secondLight
    for (const permit of held.slice(0, 2)) permits.release('a', permit)
    await heavy
    expect(order).toEqual(['light', 'heavy'])
  })

  test('counts a permit that is released twice once', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 1,
      inFlightMax: () => 10,
      expectedWaitMsMax: 20,
      waitMsMax: 20,
    })
    const first = await inTime(permits.acquire('a'))
    permits.release('a', first)
    permits.release('a', first)
    await inTime(permits.acquire('a'))
    expect(await permits.acquire('a')).toBeUndefined()
  })

  test('starts fewer deliveries the longer the attempts of a destination last', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 2,
      inFlightMax: () => 100,
      expectedWaitMsMax: 1_000,
      waitMsMax: 1_000,
    })
    await inTime(permits.acquire('hangs'))
    permits.start('hangs', 3)
    expect([permits.canStart('hangs'), permits.canStart('other')]).toEqual([true, true])
    // The condition is that the attempt has lasted longer than the maximum wait.
    expect(await permits.acquire('hangs')).toBeDefined()
    expect(await permits.acquire('hangs')).toBeUndefined()
    expect(await permits.acquire('hangs')).toBeUndefined()
    expect([permits.canStart('hangs'), permits.canStart('other')]).toEqual([false, true])
    expect([permits.capacity('hangs'), permits.capacity('other')]).toEqual([0, 82])
  })

  test('has capacity for deliveries that are not in progress', () => {
    const permits = new ConcurrencyLimiter({ permitsMax: () => 10, inFlightMax: () => 20 })
    permits.start('a', 15)
    expect([permits.capacity('a'), permits.capacity('b')]).toEqual([5, 20])
    permits.finish('a', 1)
    expect(permits.capacity('a')).toBe(6)
    permits.finish('a', 14)
    expect(permits.capacity('a')).toBe(20)
  })

  test('grants no permit above a lower maximum, and all permits of a higher one', async () => {
    let permitsMax = 2
    const permits = new ConcurrencyLimiter({
      permitsMax: () => permitsMax,
      inFlightMax: () => 10,
      expectedWaitMsMax: 10_000,
      waitMsMax: 10_000,
    })
    const [first, second] = [await inTime(permits.acquire('a')), await inTime(permits.acquire('a'))]
    const waiting = [permits.acquire('a'), permits.acquire('a')]
    let granted = 0
    for (const permit of waiting) void permit.then(() => (granted += 1))
    permitsMax = 1
    permits.release('a', first)
    await new Promise(setImmediate)
    expect(granted).toBe(0)
    permitsMax = 2
    permits.release('a', second)
    await Promise.all(waiting)
    expect(granted).toBe(2)
  })

  test('removes idle names only', async () => {
    const permits = new ConcurrencyLimiter({
      permitsMax: () => 1,
      inFlightMax: () => 10,
      expectedWaitMsMax: 20,
      waitMsMax: 20,
    })
    permits.start('busy', 1)
    await inTime(permits.acquire('busy'))
    for (let i = 0; i < 60_000; i += 1) permits.start(`idle ${i}`, 0)
    expect(permits.size()).toBeLessThanOrEqual(20_001)
    expect(await permits.acquire('busy')).toBeUndefined()
  })
})
