import { describe, expect, test } from '@jest/globals'
import { ConcurrencyLimiter } from '../src/egress/concurrency-limiter.ts'

const inTime = async <T>(given: Promise<T | undefined>): Promise<T> => {
  const got = await given
  if (got === undefined) throw new Error('no slot')
  return got
}

describe('slots', () => {
  test('no name has more than its slots in work, however many come at once', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 3, inFlightMax: 1_000, waitMsMax: 10_000 })
    let inWork = 0
    let most = 0
    const work = async () => {
      const slot = await inTime(slots.enter('a'))
      inWork += 1
      most = Math.max(most, inWork)
      await new Promise((resolve) => setImmediate(resolve))
      inWork -= 1
      slots.leave('a', slot)
    }
    await Promise.all(Array.from({ length: 200 }, work))
    expect(most).toBe(3)
  })

  test('who waits longest takes the slot the moment it is free; who comes then does not', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 1, inFlightMax: 10, waitMsMax: 10_000 })
    const order: string[] = []
    const first = await inTime(slots.enter('a'))
    const second = inTime(slots.enter('a')).then((slot) => (order.push('second'), slot))
    const third = inTime(slots.enter('a')).then((slot) => (order.push('third'), slot))
    slots.leave('a', first)
    const late = slots.enter('a').then(() => order.push('late'))
    slots.leave('a', await second)
    slots.leave('a', await third)
    await late
    expect(order).toEqual(['second', 'third', 'late'])
  })

  test('who waits in vain gets no slot, and takes none', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 1, inFlightMax: 10, waitMsMax: 20 })
    const first = await inTime(slots.enter('a'))
    expect(await slots.enter('a')).toBeUndefined()
    slots.leave('a', first)
    expect(await slots.enter('a')).toBeDefined()
  })

  test('a slot given back twice counts once', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 1, inFlightMax: 10, waitMsMax: 20 })
    const first = await inTime(slots.enter('a'))
    slots.leave('a', first)
    slots.leave('a', first)
    await inTime(slots.enter('a'))
    expect(await slots.enter('a')).toBeUndefined()
  })

  test('the longer the attempts of one that hangs last, the fewer are let in to wait for it', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 2, inFlightMax: 100, waitMsMax: 40 })
    await inTime(slots.enter('hangs'))
    for (let i = 0; i < 3; i += 1) slots.in('hangs')
    expect([slots.tryAdmit('hangs'), slots.tryAdmit('other')]).toEqual([true, true])
    // What is waited for is that its attempt has lasted longer than anybody may wait.
    expect(await slots.enter('hangs')).toBeDefined()
    expect(await slots.enter('hangs')).toBeUndefined()
    expect(await slots.enter('hangs')).toBeUndefined()
    expect([slots.tryAdmit('hangs'), slots.tryAdmit('other')]).toEqual([false, true])
    expect([slots.room('hangs'), slots.room('other')]).toEqual([0, 5])
  })

  test('the window has room for as many as are not on their way', () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 10, inFlightMax: 20 })
    slots.sent('a', 15)
    expect([slots.room('a'), slots.room('b')]).toEqual([5, 20])
    slots.came('a')
    slots.in('a')
    expect(slots.room('a')).toBe(5)
    slots.out('a')
    expect(slots.room('a')).toBe(6)
    slots.unsent('a', 14)
    slots.came('a')
    expect(slots.room('a')).toBe(20)
  })

  test('what was sent and did not come here is taken to have gone elsewhere', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 10, inFlightMax: 20, forgetMs: 30 })
    slots.sent('a', 20)
    expect(slots.room('a')).toBe(0)
    const deadline = Date.now() + 20_000
    while (slots.room('a') === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(slots.room('a')).toBe(20)
  })

  test('names that are idle are forgotten, those in work are not', async () => {
    const slots = new ConcurrencyLimiter({ permitsMax: 1, inFlightMax: 10, waitMsMax: 20, forgetMs: 0 })
    slots.in('busy')
    await inTime(slots.enter('busy'))
    for (let i = 0; i < 60_000; i += 1) slots.came(`idle ${i}`)
    expect(slots.size()).toBeLessThanOrEqual(20_001)
    expect(await slots.enter('busy')).toBeUndefined()
  })
})
