import { describe, expect, test } from '@jest/globals'
import { microBatch } from '../src/consume/micro-batch.ts'

const outage = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' })

describe('micro-batch', () => {
  test('batches items that arrive together, at most itemsMax, and returns each its own result', async () => {
    const sizes: number[] = []
    const double = microBatch(
      async (items: readonly number[]) => {
        sizes.push(items.length)
        return items.map((item) => item * 2)
      },
      { itemsMax: 100, waitMsMax: 5 },
    )
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    expect(await Promise.all(numbers.map(double))).toEqual(numbers.map((number) => number * 2))
    expect(sizes).toEqual([100, 100, 50])
  })

  test('batches items that arrive during a batch, and runs them after it or after waitMsMax', async () => {
    const ends: (() => void)[] = []
    const batches: string[] = []
    const slow = microBatch(
      async (items: readonly string[]) => {
        batches.push(items.join(''))
        await new Promise<void>((resolve) => ends.push(resolve))
        return items
      },
      { itemsMax: 100, waitMsMax: 200 },
    )
    const reached = async (count: number) => {
      while (batches.length < count) await new Promise((resolve) => setImmediate(resolve))
    }
    const first = slow('a')
    await reached(1)
    const second = [slow('b'), slow('c')]
    ends[0]?.()
    await reached(2)
    const third = slow('d')
    await reached(3)
    for (const end of ends) end()
    expect(await Promise.all([first, ...second, third])).toEqual(['a', 'b', 'c', 'd'])
    expect(batches).toEqual(['a', 'bc', 'd'])
  })

  test('a single item does not wait for others', async () => {
    const same = microBatch(async (items: readonly string[]) => items, { itemsMax: 100, waitMsMax: 5 })
    expect(await same('alone')).toBe('alone')
  })

  test('an outage fails all items after one run', async () => {
    let runs = 0
    const failing = microBatch(async (): Promise<string[]> => {
      runs += 1
      throw outage()
    })
    const settled = await Promise.allSettled(['a', 'b', 'c'].map(failing))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  })

  test('a batch has items of at most the maximum size, and a larger item is a batch of its own', async () => {
    const batches: number[][] = []
    const sized = microBatch(
      async (items: readonly number[]) => {
        batches.push([...items])
        return items
      },
      { size: { of: (item) => item, max: 10 }, runningMax: 1 },
    )
    const items = [4, 4, 4, 30, 1, 2, 10]
    expect(await Promise.all(items.map(sized))).toEqual(items)
    expect(batches).toEqual([[4, 4], [4], [30], [1, 2], [10]])
  })

  test('with a maximum of one running batch, full batches run one after the other', async () => {
    let running = 0
    const counts: number[] = []
    const alone = microBatch(
      async (items: readonly number[]) => {
        running += 1
        counts.push(running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return items
      },
      { itemsMax: 3, waitMsMax: 0, runningMax: 1 },
    )
    const items = Array.from({ length: 20 }, (_, index) => index)
    expect(await Promise.all(items.map(alone))).toEqual(items)
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  test('finds one invalid item among many in a number of runs that grows with the logarithm', async () => {
    let runs = 0
    const picky = microBatch(async (items: readonly number[]) => {
      runs += 1
      if (items.includes(21)) throw new Error('invalid input')
      return items
    })
    const items = Array.from({ length: 64 }, (_, index) => index)
    const settled = await Promise.allSettled(items.map(picky))
    expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([21])
    expect(runs).toBe(13)
  })

  test('an invalid item fails alone', async () => {
    const picky = microBatch(async (items: readonly string[]) => {
      if (items.includes('poison')) throw new Error('invalid input')
      return items
    })
    const settled = await Promise.allSettled(['a', 'poison', 'c'].map(picky))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
